// SPDX-License-Identifier: MIT
#include "tarl/envs/classic/mountain_car.h"

#include <algorithm>
#include <cmath>

#include "tarl/envs/classic/classic_env.h"
#include "tarl/envs/classic/colours.h"

namespace tarl::envs::classic {

namespace {

constexpr double kWall = -1.2;
constexpr double kRightEnd = 0.6;
constexpr double kLargestVelocity = 0.07;
constexpr double kFrameSeconds = 1.0 / 30;  // Gymnasium's; the task has no time scale
constexpr double kSlopePull = 0.0025;       // of the steepest slope, on the velocity
constexpr double kLeftmostStart = -0.6;
constexpr double kRightmostStart = -0.4;

double height(double position) {
  return 0.45 * std::sin(3 * position) + 0.55;
}

rl::Image picture(double position, double flag) {
  constexpr int kSegments = 60;
  constexpr double kScale = 300 / (kRightEnd - kWall);  // pixels per unit
  Canvas canvas(300, 220, kPaper);
  canvas.set_view(kWall, -0.05, kScale);
  Point before{kWall, height(kWall)};
  for (int i = 1; i <= kSegments; ++i) {
    const double x = kWall + (kRightEnd - kWall) * i / kSegments;
    const Point here{x, height(x)};
    canvas.capsule(before, here, 0.008, kDark);
    before = here;
  }
  const Point foot{flag, height(flag)}, top{flag, height(flag) + 0.15};
  canvas.capsule(foot, top, 0.006, kDark);
  canvas.capsule({top.x + 0.02, top.y - 0.025}, {top.x + 0.06, top.y - 0.025}, 0.02, kOrange);
  const Point car{position, height(position) + 0.05};
  canvas.capsule(car, car, 0.045, kBlue);
  return canvas.take();
}

// What both tasks share; they differ in the engine, the reward and the position of the flag.
template <class Number>
class MountainCar : public ClassicEnv<MountainCarState<Number>> {
 protected:
  MountainCar(rl::EnvSpec spec, std::int64_t step_limit, double flag, Rng rng)
      : ClassicEnv<MountainCarState<Number>>(std::move(spec), step_limit, rng), flag_(flag) {}

  // Moves the car and says whether it is at the flag, and not on its way back.
  bool drive(MountainCarState<Number>& state, Number push) const {
    state = advanced(state, push);
    return state.position >= static_cast<Number>(flag_) && state.velocity >= 0;
  }

 private:
  MountainCarState<Number> start(Rng& rng) const override {
    const double share = rng.uniform();
    return {static_cast<Number>(kLeftmostStart + (kRightmostStart - kLeftmostStart) * share), 0};
  }

  void observe(const MountainCarState<Number>& state, std::span<float> out) const override {
    out[0] = static_cast<float>(state.position);
    out[1] = static_cast<float>(state.velocity);
  }

  MountainCarState<Number> recalled(std::span<const float> seen) const override {
    return {seen[0], seen[1]};
  }

  rl::Image draw(const MountainCarState<Number>& state) const override {
    return picture(state.position, flag_);
  }

  double flag_;
};

class DiscreteCar final : public MountainCar<double> {
 public:
  explicit DiscreteCar(Rng rng)
      : MountainCar(discrete_spec("classic/mountain_car", 2, 3, kFrameSeconds), 200, 0.5, rng) {}

 private:
  Outcome advance(const rl::Action& action, MountainCarState<double>& state) override {
    constexpr double kPush = 0.001;
    return {-1, drive(state, (discrete(action) - 1) * kPush)};
  }
};

class ContinuousCar final : public MountainCar<float> {
 public:
  explicit ContinuousCar(Rng rng)
      : MountainCar(continuous_spec("classic/mountain_car_continuous", 2, 1, "push", kFrameSeconds),
                    999, 0.45, rng) {}

 private:
  Outcome advance(const rl::Action& action, MountainCarState<float>& state) override {
    constexpr float kPower = 0.0015F;
    const double effort = continuous(action);
    const bool there = drive(state, static_cast<float>(effort) * kPower);
    return {(there ? 100 : 0) - 0.1 * (effort * effort), there};
  }
};

}  // namespace

template <class Number>
MountainCarState<Number> advanced(MountainCarState<Number> state, Number push) {
  constexpr Number kFastest = static_cast<Number>(kLargestVelocity);
  constexpr Number kLeft = static_cast<Number>(kWall), kRight = static_cast<Number>(kRightEnd);
  const double slope = std::cos(static_cast<double>(3 * state.position));
  state.velocity += push - static_cast<Number>(kSlopePull * slope);
  state.velocity = std::clamp(state.velocity, -kFastest, kFastest);
  state.position = std::clamp(state.position + state.velocity, kLeft, kRight);
  if (state.position == kLeft) state.velocity = std::max<Number>(state.velocity, 0);
  return state;
}

template MountainCarState<double> advanced(MountainCarState<double>, double);
template MountainCarState<float> advanced(MountainCarState<float>, float);

std::unique_ptr<rl::Environment> make_mountain_car(Rng rng) {
  return std::make_unique<DiscreteCar>(rng);
}

std::unique_ptr<rl::Environment> make_mountain_car_continuous(Rng rng) {
  return std::make_unique<ContinuousCar>(rng);
}

}  // namespace tarl::envs::classic
