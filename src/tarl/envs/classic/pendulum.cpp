// SPDX-License-Identifier: MIT
#include "tarl/envs/classic/pendulum.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "tarl/envs/classic/classic_env.h"
#include "tarl/envs/classic/colours.h"

namespace tarl::envs::classic {

namespace {

constexpr double kPendulumGravity = 10;     // m/s^2; mass and length are 1
constexpr double kPendulumTimeStep = 0.05;  // s
constexpr double kLargestTorque = 2;        // N m
constexpr double kLargestSpeed = 8;         // rad/s
constexpr std::int64_t kPendulumStepLimit = 200;

// The same angle in [-pi, pi).
double normalized(double angle) {
  constexpr double kTurn = 2 * std::numbers::pi;
  return angle - kTurn * std::floor((angle + std::numbers::pi) / kTurn);
}

class Pendulum final : public ClassicEnv<PendulumState> {
 public:
  explicit Pendulum(Rng rng)
      : ClassicEnv(
            continuous_spec("classic/pendulum", 3, kLargestTorque, "torque", kPendulumTimeStep),
            kPendulumStepLimit, rng) {}

  void save(StateWriter& out) const override {
    ClassicEnv::save(out);
    out.put("torque", torque_);
  }

  void load(const StateReader& in) override {
    ClassicEnv::load(in);
    in.get("torque", torque_);
  }

 private:
  PendulumState start(Rng& rng) const override {
    PendulumState state;
    state.theta = around_zero(rng, std::numbers::pi);
    state.theta_dot = around_zero(rng, 1);
    return state;
  }

  Outcome advance(const rl::Action& action, PendulumState& state) override {
    torque_ = continuous(action);
    const double reward = -cost(state, torque_);
    state = advanced(state, torque_);
    return {reward, false};
  }

  void observe(const PendulumState& state, std::span<float> out) const override {
    out[0] = static_cast<float>(std::cos(state.theta));
    out[1] = static_cast<float>(std::sin(state.theta));
    out[2] = static_cast<float>(state.theta_dot);
  }

  PendulumState recalled(std::span<const float> seen) const override {
    return {std::atan2(seen[1], seen[0]), seen[2]};
  }

  rl::Image draw(const PendulumState& state) const override {
    Canvas canvas(200, 200, kPaper);
    canvas.set_view(-1.3, -1.3, 200 / 2.6);
    canvas.capsule({0, 0}, {-std::sin(state.theta), std::cos(state.theta)}, 0.1, kOrange);
    canvas.capsule({0, 0}, {0, 0}, 0.05, kDark);
    // The last torque, as a bar from the middle of the lower edge.
    canvas.capsule({0, -1.2}, {0.55 * torque_, -1.2}, 0.04, kBlue);
    return canvas.take();
  }

  double torque_ = 0;  // of the last step, for the picture
};

}  // namespace

PendulumState advanced(const PendulumState& state, double torque) {
  const double acceleration = 1.5 * kPendulumGravity * std::sin(state.theta) + 3 * torque;
  const double theta_dot =
      std::clamp(state.theta_dot + acceleration * kPendulumTimeStep, -kLargestSpeed, kLargestSpeed);
  return {state.theta + theta_dot * kPendulumTimeStep, theta_dot};
}

double cost(const PendulumState& state, double torque) {
  const double angle = normalized(state.theta);
  return angle * angle + 0.1 * state.theta_dot * state.theta_dot + 0.001 * torque * torque;
}

std::unique_ptr<rl::Environment> make_pendulum(Rng rng) {
  return std::make_unique<Pendulum>(rng);
}

}  // namespace tarl::envs::classic
