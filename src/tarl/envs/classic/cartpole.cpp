// SPDX-License-Identifier: MIT
#include "tarl/envs/classic/cartpole.h"

#include <cmath>
#include <numbers>

#include "tarl/envs/classic/classic_env.h"
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

class CartPole final : public ClassicEnv<CartPoleState> {
 public:
  explicit CartPole(Rng rng)
      : ClassicEnv(discrete_spec("classic/cartpole", 4, 2, kCartPoleTimeStep), kCartPoleStepLimit,
                   rng) {}

 private:
  CartPoleState start(Rng& rng) const override {
    CartPoleState state;
    state.x = around_zero(rng, kLargestStart);
    state.x_dot = around_zero(rng, kLargestStart);
    state.theta = around_zero(rng, kLargestStart);
    state.theta_dot = around_zero(rng, kLargestStart);
    return state;
  }

  Outcome advance(const rl::Action& action, CartPoleState& state) override {
    state = advanced(state, discrete(action) == 1 ? kForce : -kForce);
    return {1, fallen(state)};
  }

  void observe(const CartPoleState& state, std::span<float> out) const override {
    out[0] = static_cast<float>(state.x);
    out[1] = static_cast<float>(state.x_dot);
    out[2] = static_cast<float>(state.theta);
    out[3] = static_cast<float>(state.theta_dot);
  }

  CartPoleState recalled(std::span<const float> seen) const override {
    return {seen[0], seen[1], seen[2], seen[3]};
  }

  rl::Image draw(const CartPoleState& at) const override {
    constexpr double kScale = 60;  // pixels per metre
    Canvas canvas(320, 200, kPaper);
    canvas.set_view(-160 / kScale, -0.8, kScale);
    canvas.capsule({-kTrackEnd, 0}, {kTrackEnd, 0}, 0.02, kDark);
    canvas.capsule({at.x - 0.3, 0}, {at.x + 0.3, 0}, 0.15, kBlue);
    const double pole = 3 * kHalfLength;  // half as long again, for visibility
    const Point tip{at.x + pole * std::sin(at.theta), pole * std::cos(at.theta)};
    canvas.capsule({at.x, 0}, tip, 0.05, kOrange);
    canvas.capsule({at.x, 0}, {at.x, 0}, 0.07, kDark);
    return canvas.take();
  }
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
