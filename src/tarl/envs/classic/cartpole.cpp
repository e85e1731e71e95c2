// SPDX-License-Identifier: MIT
#include "tarl/envs/classic/cartpole.h"

#include <cmath>
#include <cstring>
#include <numbers>

#include "tarl/core/error.h"
#include "tarl/envs/classic/colours.h"

namespace tarl::envs::classic {

namespace {

constexpr double kCartPoleGravity = 9.8;    // m/s^2
constexpr double kPoleMass = 0.1;           // kg
constexpr double kTotalMass = 1.1;          // kg, with the cart
constexpr double kHalfLength = 0.5;         // m
constexpr double kForce = 10;               // N
constexpr double kCartPoleTimeStep = 0.02;  // s
constexpr double kTrackEnd = 2.4;           // m
constexpr double kLargestAngle = 12 * 2 * std::numbers::pi / 360;
constexpr double kLargestStart = 0.05;  // of every number of the state
constexpr std::int64_t kCartPoleStepLimit = 500;

class CartPole final : public rl::Environment {
 public:
  explicit CartPole(Rng rng) : rng_(rng) {
    spec_.name = "classic/cartpole";
    spec_.title = "4 numbers, 2 actions";
    spec_.obs = {rl::ObsKind::kFloats, 4};
    spec_.action.count = 2;
  }

  const rl::EnvSpec& spec() const override { return spec_; }

  void reset(std::span<std::byte> obs) override {
    const auto start = [this] { return kLargestStart * (2 * rng_.uniform() - 1); };
    state_.x = start();
    state_.x_dot = start();
    state_.theta = start();
    state_.theta_dot = start();
    steps_ = 0;
    observe(obs);
  }

  rl::StepResult step(const rl::Action& action, std::span<std::byte> obs) override {
    require(action.index == 0 || action.index == 1, "no such action");
    state_ = advanced(state_, action.index == 1 ? kForce : -kForce);
    ++steps_;
    observe(obs);
    rl::StepResult result;
    result.reward = result.score = 1;
    result.terminated = fallen(state_);
    result.truncated = !result.terminated && steps_ >= kCartPoleStepLimit;
    result.score_episode_over = result.done();
    return result;
  }

  void save(StateWriter& out) const override {
    out.put("state", state_);
    out.put("steps", steps_);
    out.put("rng", rng_);
  }

  void load(const StateReader& in) override {
    in.get("state", state_);
    in.get("steps", steps_);
    in.get("rng", rng_);
  }

  std::optional<rl::Image> render(std::string&) const override {
    constexpr double kScale = 60;  // pixels a metre
    Canvas canvas(320, 200, kPaper);
    canvas.set_view(-160 / kScale, -0.8, kScale);
    canvas.capsule({-kTrackEnd, 0}, {kTrackEnd, 0}, 0.02, kDark);
    canvas.capsule({state_.x - 0.3, 0}, {state_.x + 0.3, 0}, 0.15, kBlue);
    const double pole = 3 * kHalfLength;  // half as long again, to be seen
    const Point tip{state_.x + pole * std::sin(state_.theta), pole * std::cos(state_.theta)};
    canvas.capsule({state_.x, 0}, tip, 0.05, kOrange);
    canvas.capsule({state_.x, 0}, {state_.x, 0}, 0.07, kDark);
    return canvas.take();
  }

 private:
  void observe(std::span<std::byte> obs) const {
    const float values[] = {static_cast<float>(state_.x), static_cast<float>(state_.x_dot),
                            static_cast<float>(state_.theta), static_cast<float>(state_.theta_dot)};
    require(obs.size() == sizeof(values), "observation of another size");
    std::memcpy(obs.data(), values, sizeof(values));
  }

  rl::EnvSpec spec_;
  CartPoleState state_;
  std::int64_t steps_ = 0;
  Rng rng_;
};

}  // namespace

CartPoleState advanced(const CartPoleState& state, double force) {
  const double sine = std::sin(state.theta), cosine = std::cos(state.theta);
  const double push =
      (force + kPoleMass * kHalfLength * state.theta_dot * state.theta_dot * sine) / kTotalMass;
  const double theta_acceleration =
      (kCartPoleGravity * sine - cosine * push) /
      (kHalfLength * (4.0 / 3.0 - kPoleMass * cosine * cosine / kTotalMass));
  const double x_acceleration =
      push - kPoleMass * kHalfLength * theta_acceleration * cosine / kTotalMass;
  return {state.x + kCartPoleTimeStep * state.x_dot,
          state.x_dot + kCartPoleTimeStep * x_acceleration,
          state.theta + kCartPoleTimeStep * state.theta_dot,
          state.theta_dot + kCartPoleTimeStep * theta_acceleration};
}

bool fallen(const CartPoleState& state) {
  return std::fabs(state.x) > kTrackEnd || std::fabs(state.theta) > kLargestAngle;
}

std::unique_ptr<rl::Environment> make_cartpole(Rng rng) {
  return std::make_unique<CartPole>(rng);
}

}  // namespace tarl::envs::classic
