// SPDX-License-Identifier: MIT
#include "tarl/envs/classic/acrobot.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "tarl/envs/classic/classic_env.h"
#include "tarl/envs/classic/colours.h"

namespace tarl::envs::classic {

namespace {

constexpr double kAcrobotGravity = 9.8;  // m/s^2
constexpr double kLinkMass = 1;          // kg, both links
constexpr double kLinkLength = 1;        // m
constexpr double kLinkCentre = 0.5;      // m from a link's upper end to its centre of mass
constexpr double kLinkInertia = 1;       // kg m^2
constexpr double kAcrobotTimeStep = 0.2;
constexpr double kLargestSpeed1 = 4 * std::numbers::pi;  // rad/s
constexpr double kLargestSpeed2 = 9 * std::numbers::pi;
constexpr double kAcrobotLargestStart = 0.1;  // of every number of the state
constexpr std::int64_t kAcrobotStepLimit = 500;

double wrapped(double angle) {
  constexpr double kTurn = 2 * std::numbers::pi;
  while (angle > std::numbers::pi) angle -= kTurn;
  while (angle < -std::numbers::pi) angle += kTurn;
  return angle;
}

// By pow(), as NumPy squares a number: one result in a thousand is rounded differently from a
// product, and the swings amplify that. Volatile, so that the compiler does not use a product.
double squared(double x) {
  const volatile double two = 2;
  return std::pow(x, two);
}

// The time derivatives of the state: the equations of motion.
AcrobotState derivative(const AcrobotState& state, double torque) {
  constexpr double kQuarterTurn = std::numbers::pi / 2;
  constexpr double kLever = kLinkMass * kLinkLength * kLinkCentre;
  constexpr double kOwnInertia = kLinkMass * kLinkCentre * kLinkCentre;
  const auto& [theta1, theta2, speed1, speed2] = state;
  const double sine = std::sin(theta2), cosine = std::cos(theta2);
  const double inertia1 = kOwnInertia +
                          kLinkMass * (kLinkLength * kLinkLength + kLinkCentre * kLinkCentre +
                                       2 * kLinkLength * kLinkCentre * cosine) +
                          kLinkInertia + kLinkInertia;
  const double coupling = kOwnInertia + kLever * cosine + kLinkInertia;
  const double pull2 =
      kLinkMass * kLinkCentre * kAcrobotGravity * std::cos(theta1 + theta2 - kQuarterTurn);
  const double pull1 = -kLever * squared(speed2) * sine - 2 * kLever * speed2 * speed1 * sine +
                       (kLinkMass * kLinkCentre + kLinkMass * kLinkLength) * kAcrobotGravity *
                           std::cos(theta1 - kQuarterTurn) +
                       pull2;
  const double acceleration2 =
      (torque + coupling / inertia1 * pull1 - kLever * squared(speed1) * sine - pull2) /
      (kOwnInertia + kLinkInertia - squared(coupling) / inertia1);
  const double acceleration1 = -(coupling * acceleration2 + pull1) / inertia1;
  return {speed1, speed2, acceleration1, acceleration2};
}

AcrobotState moved(const AcrobotState& from, const AcrobotState& slope, double time) {
  return {from.theta1 + time * slope.theta1, from.theta2 + time * slope.theta2,
          from.theta1_dot + time * slope.theta1_dot, from.theta2_dot + time * slope.theta2_dot};
}

class Acrobot final : public ClassicEnv<AcrobotState> {
 public:
  explicit Acrobot(Rng rng)
      : ClassicEnv(discrete_spec("classic/acrobot", 6, 3, kAcrobotTimeStep), kAcrobotStepLimit,
                   rng) {}

 private:
  AcrobotState start(Rng& rng) const override {
    AcrobotState state;
    state.theta1 = around_zero(rng, kAcrobotLargestStart);
    state.theta2 = around_zero(rng, kAcrobotLargestStart);
    state.theta1_dot = around_zero(rng, kAcrobotLargestStart);
    state.theta2_dot = around_zero(rng, kAcrobotLargestStart);
    return state;
  }

  Outcome advance(const rl::Action& action, AcrobotState& state) override {
    state = advanced(state, discrete(action) - 1);
    const bool over = swung_up(state);
    return {over ? 0.0 : -1.0, over};
  }

  void observe(const AcrobotState& state, std::span<float> out) const override {
    out[0] = static_cast<float>(std::cos(state.theta1));
    out[1] = static_cast<float>(std::sin(state.theta1));
    out[2] = static_cast<float>(std::cos(state.theta2));
    out[3] = static_cast<float>(std::sin(state.theta2));
    out[4] = static_cast<float>(state.theta1_dot);
    out[5] = static_cast<float>(state.theta2_dot);
  }

  AcrobotState recalled(std::span<const float> seen) const override {
    return {std::atan2(seen[1], seen[0]), std::atan2(seen[3], seen[2]), seen[4], seen[5]};
  }

  rl::Image draw(const AcrobotState& state) const override {
    const double angle1 = state.theta1, angle2 = angle1 + state.theta2;
    const Point joint{kLinkLength * std::sin(angle1), -kLinkLength * std::cos(angle1)};
    const Point tip{joint.x + kLinkLength * std::sin(angle2),
                    joint.y - kLinkLength * std::cos(angle2)};
    Canvas canvas(240, 240, kPaper);
    canvas.set_view(-2.2, -2.2, 240 / 4.4);
    canvas.capsule({-2.2, kLinkLength}, {2.2, kLinkLength}, 0.015, kDark);  // the bar
    canvas.capsule({0, 0}, joint, 0.1, kBlue);
    canvas.capsule(joint, tip, 0.1, kOrange);
    for (const Point& pivot : {Point{0, 0}, joint}) canvas.capsule(pivot, pivot, 0.06, kDark);
    return canvas.take();
  }
};

}  // namespace

AcrobotState advanced(const AcrobotState& state, double torque) {
  constexpr double kHalf = kAcrobotTimeStep / 2;
  const AcrobotState first = derivative(state, torque);
  const AcrobotState second = derivative(moved(state, first, kHalf), torque);
  const AcrobotState third = derivative(moved(state, second, kHalf), torque);
  const AcrobotState fourth = derivative(moved(state, third, kAcrobotTimeStep), torque);
  // (first + 2 second + 2 third + fourth) / 6, summed in this order
  const AcrobotState sum = moved(moved(moved(first, second, 2), third, 2), fourth, 1);
  AcrobotState next = moved(state, sum, kAcrobotTimeStep / 6);
  next.theta1 = wrapped(next.theta1);
  next.theta2 = wrapped(next.theta2);
  next.theta1_dot = std::clamp(next.theta1_dot, -kLargestSpeed1, kLargestSpeed1);
  next.theta2_dot = std::clamp(next.theta2_dot, -kLargestSpeed2, kLargestSpeed2);
  return next;
}

bool swung_up(const AcrobotState& state) {
  return -std::cos(state.theta1) - std::cos(state.theta2 + state.theta1) > 1;
}

std::unique_ptr<rl::Environment> make_acrobot(Rng rng) {
  return std::make_unique<Acrobot>(rng);
}

}  // namespace tarl::envs::classic
