// SPDX-License-Identifier: MIT
#pragma once

#include <cstring>
#include <limits>
#include <memory>
#include <utility>

#include "tarl/envs/registry.h"

namespace tarl::train {

// Wraps an environment, with one step whose reward or observation is NaN or Inf, or with such a
// first observation of every episode from then on.
class PoisonedEnv final : public rl::Environment {
 public:
  enum class Part { kReward, kObservation, kFirstObservation };

  struct Poison {
    Part part = Part::kReward;
    float value = std::numeric_limits<float>::quiet_NaN();
    std::int64_t step = 100;
  };

  PoisonedEnv(std::unique_ptr<rl::Environment> env, Poison poison)
      : env_(std::move(env)), poison_(poison) {}

  const rl::EnvSpec& spec() const override { return env_->spec(); }

  void reset(std::span<std::byte> obs) override {
    env_->reset(obs);
    if (poison_.part == Part::kFirstObservation && steps_ >= poison_.step) spoil(obs);
  }

  rl::StepResult step(const rl::Action& action, std::span<std::byte> obs) override {
    rl::StepResult result = env_->step(action, obs);
    if (++steps_ != poison_.step) return result;
    if (poison_.part == Part::kReward) result.reward = poison_.value;
    if (poison_.part == Part::kObservation) spoil(obs);
    return result;
  }

  void save(StateWriter& out) const override {
    out.put("steps", steps_);
    StateWriter group = out.group("inner");
    env_->save(group);
  }

  void load(const StateReader& in) override {
    in.get("steps", steps_);
    env_->load(in.group("inner"));
  }

 private:
  void spoil(std::span<std::byte> obs) const {
    std::memcpy(obs.data(), &poison_.value, sizeof poison_.value);
  }

  std::unique_ptr<rl::Environment> env_;
  Poison poison_;
  std::int64_t steps_ = 0;
};

// Registers `name` as `original` with the poison in its training environment; evaluations, whose
// streams come later, play the original unless they last as long.
inline void add_poisoned(const std::string& name, const std::string& original,
                         PoisonedEnv::Poison poison) {
  envs::Entry entry = envs::registry().find(original);
  entry.name = name;
  entry.aliases = {};
  entry.make = [make = entry.make, poison](const envs::EnvConfig& config, Rng rng) {
    return std::make_unique<PoisonedEnv>(make(config, rng), poison);
  };
  envs::registry().add(std::move(entry));
}

}  // namespace tarl::train
