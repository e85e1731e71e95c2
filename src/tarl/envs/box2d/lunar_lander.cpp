// SPDX-License-Identifier: MIT
#include "tarl/envs/box2d/lunar_lander.h"

#include <algorithm>
#include <cmath>

namespace tarl::envs::box2d {

namespace {

constexpr double kFirstForce = 1000;
constexpr double kMainFuelCost = 0.3;
constexpr double kSideFuelCost = 0.03;
constexpr std::size_t kLanderTimeLimit = 1000;
constexpr int kPadFirst = kMoonPoints / 2 - 2, kPadLast = kMoonPoints / 2 + 2;

constexpr Colour kSpace = {20, 20, 32};
constexpr Colour kMoon = {235, 235, 240};
constexpr Colour kFlag = {204, 204, 0};
constexpr Colour kFlame = {240, 140, 50};
constexpr Colour kRocket = {128, 102, 230};

// Twelve draws, smoothed over three neighbours; the pad's are levelled. The point left of the first
// is the last, as in the original.
std::array<double, kMoonPoints> draw_ground(Draws& draws) {
  std::array<double, kMoonPoints + 1> rough;
  for (double& height : rough) height = draws.real(0, kViewHeight / 2);
  std::fill(rough.begin() + kPadFirst, rough.begin() + kPadLast + 1, kPadHeight);
  std::array<double, kMoonPoints> ground;
  for (std::size_t i = 0; i < ground.size(); ++i) {
    const double left = i == 0 ? rough.back() : rough[i - 1];
    ground[i] = 0.33 * (left + rough[i] + rough[i + 1]);
  }
  return ground;
}

Thrust discrete_thrust(int action) {
  Thrust thrust;
  if (action == 2) thrust.main = 1;
  if (action == 1 || action == 3) {
    thrust.side = 1;
    thrust.side_direction = action - 2;
  }
  return thrust;
}

Thrust continuous_thrust(std::span<const float> action) {
  const double main = std::clamp(double{action[0]}, -1.0, 1.0);
  const double side = std::clamp(double{action[1]}, -1.0, 1.0);
  Thrust thrust;
  if (main > 0) thrust.main = (main + 1) * 0.5;
  if (std::fabs(side) > 0.5) {
    thrust.side = std::fabs(side);
    thrust.side_direction = side > 0 ? 1 : -1;
  }
  return thrust;
}

// High near the pad, slow, upright and on both legs.
double potential(const std::array<double, kLanderObs>& seen) {
  return -100 * std::sqrt(seen[0] * seen[0] + seen[1] * seen[1]) -
         100 * std::sqrt(seen[2] * seen[2] + seen[3] * seen[3]) - 100 * std::fabs(seen[4]) +
         10 * seen[6] + 10 * seen[7];
}

void scatter(Thrust& thrust, Draws& draws) {
  for (double& offset : thrust.scatter) offset = draws.real(-1, 1) / kPixelsPerMetre;
}

}  // namespace

LanderEpisode::LanderEpisode(bool continuous, Draws& draws)
    : continuous_(continuous), ground_(draw_ground(draws)), world_([&] {
        const double x = draws.real(-kFirstForce, kFirstForce);
        const double y = draws.real(-kFirstForce, kFirstForce);
        return LanderWorld(ground_, x, y);
      }()) {
  scatter(thrust_, draws);
  world_.step(thrust_);
  shaping_ = potential(world_.observe());
}

Episode::Outcome LanderEpisode::play(std::span<const float> action, Draws& draws) {
  thrust_ = continuous_ ? continuous_thrust(action) : discrete_thrust(static_cast<int>(action[0]));
  scatter(thrust_, draws);
  world_.step(thrust_);
  const std::array<double, kLanderObs> seen = world_.observe();
  const double before = shaping_;
  shaping_ = potential(seen);
  Outcome out{shaping_ - before, false};
  out.reward -= kMainFuelCost * thrust_.main;
  out.reward -= kSideFuelCost * thrust_.side;
  if (world_.crashed() || std::fabs(seen[0]) >= 1) out = {-100, true};
  if (world_.asleep()) out = {100, true};
  return out;
}

void LanderEpisode::observe(std::span<float> out) const {
  const std::array<double, kLanderObs> seen = world_.observe();
  std::transform(seen.begin(), seen.end(), out.begin(),
                 [](double value) { return static_cast<float>(value); });
}

rl::Image LanderEpisode::draw() const {
  Canvas canvas(kViewPixelsWide, kViewPixelsHigh, kSpace);
  canvas.set_view(0, 0, kPixelsPerMetre);
  for (int i = 0; i + 1 < kMoonPoints; ++i) {
    const auto at = static_cast<std::size_t>(i);
    const Point a{moon_x(i), ground_[at]};
    const Point b{moon_x(i + 1), ground_[at + 1]};
    canvas.polygon(std::array<Point, 4>{{a, b, {b.x, 0}, {a.x, 0}}}, kMoon);
  }
  for (const double x : {moon_x(kPadFirst + 1), moon_x(kPadLast - 1)}) {
    const double top = kPadHeight + 50 / kPixelsPerMetre;
    canvas.capsule({x, kPadHeight}, {x, top}, 0.03, kMoon);
    canvas.polygon(std::array<Point, 3>{{{x, top}, {x, top - 0.33}, {x + 0.83, top - 0.17}}},
                   kFlag);
  }
  const BodyState rocket = world_.bodies()[0];
  const double sine = std::sin(double{rocket[2]}), cosine = std::cos(double{rocket[2]});
  const auto on_rocket = [&](double right, double up) {
    return Point{rocket[0] + right * cosine - up * sine, rocket[1] + right * sine + up * cosine};
  };
  if (thrust_.main > 0) {
    canvas.capsule(on_rocket(0, -0.4), on_rocket(0, -0.4 - 0.6 * thrust_.main), 0.12, kFlame);
  }
  if (thrust_.side > 0) {
    const double away = thrust_.side_direction * 0.55;
    canvas.capsule(on_rocket(away, 0.3), on_rocket(1.5 * away, 0.3), 0.07, kFlame);
  }
  for (const std::vector<Point>& outline : world_.outlines()) canvas.polygon(outline, kRocket);
  return canvas.take();
}

std::unique_ptr<rl::Environment> make_lunar_lander(bool continuous, Rng rng) {
  return std::make_unique<ReplayedEnv>(
      continuous ? box2d_spec("box2d/lunar_lander_continuous", kLanderObs, 2)
                 : box2d_spec("box2d/lunar_lander", kLanderObs, 0, 4),
      kLanderTimeLimit,
      [continuous](Draws& draws) { return std::make_unique<LanderEpisode>(continuous, draws); },
      rng);
}

}  // namespace tarl::envs::box2d
