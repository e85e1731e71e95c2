// SPDX-License-Identifier: MIT
#pragma once

#include <cstring>
#include <memory>

#include "tarl/envs/registry.h"

namespace tarl::test {

// A task with observations so large that a small replay is saved in segments: noise, whose first
// number determines which of two actions pays. Every other episode is truncated.
class WideEnv final : public rl::Environment {
 public:
  static constexpr int kSize = 3600;

  explicit WideEnv(Rng rng) : rng_(rng), obs_(kSize) {
    spec_.name = "test/wide";
    spec_.obs = {rl::ObsKind::kFloats, kSize, 1, 1, 1};
    spec_.action.count = 2;
  }

  const rl::EnvSpec& spec() const override { return spec_; }

  void reset(std::span<std::byte> obs) override {
    ++episodes_;
    left_ = 5 + static_cast<std::int32_t>(rng_.below(40));
    show(obs);
  }

  rl::StepResult step(const rl::Action& action, std::span<std::byte> obs) override {
    rl::StepResult result;
    result.reward = (obs_[0] > 0) == (action.index == 1) ? 1.0F : 0.0F;
    const bool over = --left_ <= 0;
    result.terminated = over && episodes_ % 2 == 0;
    result.truncated = over && !result.terminated;
    result.score = result.reward;
    result.score_episode_over = over;
    show(obs);
    return result;
  }

  void save(StateWriter& out) const override {
    out.put("rng", rng_);
    out.put("obs", obs_);
    out.put("episodes", episodes_);
    out.put("left", left_);
  }

  void load(const StateReader& in) override {
    in.get("rng", rng_);
    in.get("obs", obs_);
    in.get("episodes", episodes_);
    in.get("left", left_);
  }

 private:
  void show(std::span<std::byte> obs) {
    std::uint32_t noise = static_cast<std::uint32_t>(rng_.bits());
    for (float& value : obs_) {
      noise = noise * 1664525U + 1013904223U;
      value = static_cast<float>(noise >> 8) / (1 << 24) - 0.5F;
    }
    std::memcpy(obs.data(), obs_.data(), obs.size());
  }

  rl::EnvSpec spec_;
  Rng rng_;
  std::vector<float> obs_;
  std::int64_t episodes_ = 0;
  std::int32_t left_ = 0;
};

inline void add_wide_env() {
  envs::registry().add(
      {.name = "test/wide",
       .aliases = {},
       .title = "noise",
       .make = [](const envs::EnvConfig&, Rng rng) { return std::make_unique<WideEnv>(rng); }});
}

}  // namespace tarl::test
