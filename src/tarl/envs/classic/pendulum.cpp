// SPDX-License-Identifier: MIT
#include "tarl/envs/classic/pendulum.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numbers>

#include "tarl/core/error.h"
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

class Pendulum final : public rl::Environment {
 public:
  explicit Pendulum(Rng rng) : rng_(rng) {
    spec_.name = "classic/pendulum";
    spec_.title = "3 numbers, 1 torque";
    spec_.obs = {rl::ObsKind::kFloats, 3};
    spec_.action.size = 1;
    spec_.action.low[0] = static_cast<float>(-kLargestTorque);
    spec_.action.high[0] = static_cast<float>(kLargestTorque);
  }

  const rl::EnvSpec& spec() const override { return spec_; }

  void reset(std::span<std::byte> obs) override {
    state_.theta = std::numbers::pi * (2 * rng_.uniform() - 1);
    state_.theta_dot = 2 * rng_.uniform() - 1;
    steps_ = 0;
    observe(obs);
  }

  rl::StepResult step(const rl::Action& action, std::span<std::byte> obs) override {
    const double low = spec_.action.low[0], high = spec_.action.high[0];
    const double torque =
        std::clamp(low + 0.5 * (double{action.values[0]} + 1) * (high - low), low, high);
    rl::StepResult result;
    result.reward = result.score = static_cast<float>(-cost(state_, torque));
    state_ = advanced(state_, torque);
    torque_ = torque;
    ++steps_;
    observe(obs);
    result.truncated = result.score_episode_over = steps_ >= kPendulumStepLimit;
    return result;
  }

  void save(StateWriter& out) const override {
    out.put("state", state_);
    out.put("torque", torque_);
    out.put("steps", steps_);
    out.put("rng", rng_);
  }

  void load(const StateReader& in) override {
    in.get("state", state_);
    in.get("torque", torque_);
    in.get("steps", steps_);
    in.get("rng", rng_);
  }

  std::optional<rl::Image> render(std::string&) const override {
    Canvas canvas(200, 200, kPaper);
    canvas.set_view(-1.3, -1.3, 200 / 2.6);
    canvas.capsule({0, 0}, {-std::sin(state_.theta), std::cos(state_.theta)}, 0.1, kOrange);
    canvas.capsule({0, 0}, {0, 0}, 0.05, kDark);
    // The last torque, as a bar from the middle of the lower edge.
    canvas.capsule({0, -1.2}, {0.55 * torque_, -1.2}, 0.04, kBlue);
    return canvas.take();
  }

 private:
  void observe(std::span<std::byte> obs) const {
    const float values[] = {static_cast<float>(std::cos(state_.theta)),
                            static_cast<float>(std::sin(state_.theta)),
                            static_cast<float>(state_.theta_dot)};
    require(obs.size() == sizeof(values), "observation of another size");
    std::memcpy(obs.data(), values, sizeof(values));
  }

  rl::EnvSpec spec_;
  PendulumState state_;
  double torque_ = 0;  // of the last step, for the picture
  std::int64_t steps_ = 0;
  Rng rng_;
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
