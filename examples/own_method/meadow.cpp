// SPDX-License-Identifier: MIT
//
// An environment: walk across a meadow, from the lower left to the upper right. Wind occasionally
// blows the walker aside, and the pond in the middle is costly.
#include <algorithm>
#include <cstring>

#include "own_method.h"

namespace {

constexpr int kSide = 5;
constexpr int kStepLimit = 60;
constexpr double kWind = 0.1;  // probability of a random direction

class Meadow final : public tarl::rl::Environment {
 public:
  explicit Meadow(tarl::Rng rng) : rng_(rng) {
    spec_.name = "my/meadow";
    spec_.obs.height = kSide * kSide;  // floats: one-hot position of the walker
    spec_.action.count = 4;
  }

  const tarl::rl::EnvSpec& spec() const override { return spec_; }

  void reset(std::span<std::byte> obs) override {
    at_ = time_ = 0;
    observe(obs);
  }

  tarl::rl::StepResult step(const tarl::rl::Action& action, std::span<std::byte> obs) override {
    const bool blown = rng_.uniform() < kWind;
    const int way = blown ? static_cast<int>(rng_.below(4)) : action.index;
    const int x = std::clamp(at_ % kSide + (way == 0) - (way == 1), 0, kSide - 1);
    const int y = std::clamp(at_ / kSide + (way == 2) - (way == 3), 0, kSide - 1);
    at_ = y * kSide + x;
    ++time_;
    observe(obs);
    tarl::rl::StepResult result;
    result.terminated = at_ == kSide * kSide - 1;
    result.truncated = !result.terminated && time_ == kStepLimit;
    result.reward = result.score = result.terminated ? 1.0F : in_pond(at_) ? -0.2F : -0.02F;
    result.score_episode_over = result.done();
    return result;
  }

  void save(tarl::StateWriter& out) const override {
    out.put("at", at_);
    out.put("time", time_);
    out.put("rng", rng_);
  }

  void load(const tarl::StateReader& in) override {
    in.get("at", at_);
    in.get("time", time_);
    in.get("rng", rng_);
  }

  std::optional<tarl::rl::Image> render(std::string&) const override {
    constexpr int kCell = 24;
    tarl::rl::Image image{kSide * kCell, kSide * kCell, {}};
    for (int row = image.height - 1; row >= 0; --row) {
      for (int column = 0; column < image.width; ++column) {
        const int cell = row / kCell * kSide + column / kCell;
        const auto& colour = cell == at_ ? kWalker : in_pond(cell) ? kWater : kGrass;
        image.rgb.insert(image.rgb.end(), std::begin(colour), std::end(colour));
      }
    }
    return image;
  }

 private:
  static constexpr std::uint8_t kGrass[] = {120, 180, 90}, kWater[] = {70, 120, 200},
                                kWalker[] = {200, 60, 40};

  static bool in_pond(int cell) {
    const int x = cell % kSide, y = cell / kSide;
    return x > 0 && x < kSide - 1 && y > 0 && y < kSide - 1;
  }

  void observe(std::span<std::byte> obs) const {
    float values[kSide * kSide] = {};
    values[at_] = 1;
    std::memcpy(obs.data(), values, sizeof values);
  }

  tarl::rl::EnvSpec spec_;
  tarl::Rng rng_;
  int at_ = 0;
  int time_ = 0;
};

}  // namespace

void add_meadow(tarl::envs::Registry& registry) {
  registry.add({"my/meadow", {}, "25 numbers, 4 actions", [](const auto&, tarl::Rng rng) {
                  return std::make_unique<Meadow>(rng);
                }});
}
