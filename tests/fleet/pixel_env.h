// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstring>

#include "tarl/envs/registry.h"

namespace tarl::fleet::test {

// A square that wanders over a striped picture, pushed by actions: the smallest game that the
// network for pixels plays. Episodes end by chance, or are cut after a while.
class PixelEnv final : public rl::Environment {
 public:
  static constexpr int kStack = 4, kHeight = 38, kWidth = 45;

  explicit PixelEnv(Rng rng) : rng_(rng) {}

  static rl::EnvSpec make_spec() {
    rl::EnvSpec spec;
    spec.name = "test/pixels";
    spec.obs = {.kind = rl::ObsKind::kBytes,
                .channels = kStack,
                .height = kHeight,
                .width = kWidth,
                .frame_stack = kStack};
    spec.action.count = 5;
    spec.eval_step_limit = 40;
    return spec;
  }

  const rl::EnvSpec& spec() const override {
    static const rl::EnvSpec spec = make_spec();
    return spec;
  }

  void reset(std::span<std::byte> obs) override {
    x_ = static_cast<std::int32_t>(rng_.below(kWidth - kSide));
    y_ = static_cast<std::int32_t>(rng_.below(kHeight - kSide));
    steps_ = 0;
    stack_of_.assign(obs.size(), std::byte{0});
    show(obs);
  }

  rl::StepResult step(const rl::Action& action, std::span<std::byte> obs) override {
    x_ = std::clamp(x_ + action.index - 2, 0, kWidth - kSide);
    y_ = std::clamp(y_ + static_cast<int>(rng_.below(5)) - 2, 0, kHeight - kSide);
    ++steps_;
    rl::StepResult result;
    result.reward = x_ > kWidth / 2 ? 1.0F : -0.25F;
    result.terminated = rng_.below(17) == 0;
    result.truncated = !result.terminated && steps_ == 23;
    result.score = result.reward;
    result.score_episode_over = result.done();
    show(obs);
    return result;
  }

  void save(StateWriter& out) const override {
    out.put("place", std::vector<std::int32_t>{x_, y_, steps_});
    out.put("stack", stack_of_);
    out.put("rng", std::vector<std::uint64_t>{rng_.key, rng_.counter});
  }

  void load(const StateReader& in) override {
    const auto place = in.get_vector<std::int32_t>("place");
    x_ = place.at(0), y_ = place.at(1), steps_ = place.at(2);
    stack_of_ = in.get_vector<std::byte>("stack");
    const auto rng = in.get_vector<std::uint64_t>("rng");
    rng_.key = rng.at(0), rng_.counter = rng.at(1);
  }

 private:
  static constexpr int kSide = 7;

  void show(std::span<std::byte> obs) {
    const std::size_t frame = std::size_t{kHeight} * kWidth;
    std::copy(stack_of_.begin() + static_cast<std::ptrdiff_t>(frame), stack_of_.end(),
              stack_of_.begin());
    std::byte* newest = stack_of_.data() + stack_of_.size() - frame;
    for (int y = 0; y < kHeight; ++y) {
      for (int x = 0; x < kWidth; ++x) {
        const bool inside = x >= x_ && x < x_ + kSide && y >= y_ && y < y_ + kSide;
        const int shade = inside ? 200 - 3 * (x - x_) : (y / 6 % 2) * 60;
        newest[y * kWidth + x] = static_cast<std::byte>(shade);
      }
    }
    std::ranges::copy(stack_of_, obs.begin());
  }

  Rng rng_;
  std::int32_t x_ = 0, y_ = 0, steps_ = 0;
  std::vector<std::byte> stack_of_;
};

// Its name in the registry.
inline std::string pixel_env() {
  static const bool added = [] {
    envs::Entry entry;
    entry.name = "test/pixels";
    entry.title = "a square on stripes";
    entry.make = [](const envs::EnvConfig&, Rng rng) { return std::make_unique<PixelEnv>(rng); };
    entry.obs = rl::ObsKind::kBytes;
    entry.spec = [] { return PixelEnv::make_spec(); };
    envs::registry().add(std::move(entry));
    return true;
  }();
  return added ? "test/pixels" : "";
}

}  // namespace tarl::fleet::test
