// SPDX-License-Identifier: MIT
#pragma once

#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "tarl/rl/environment.h"

namespace tarl::cli {

// Observes episodes, which are played one after another.
class Watcher {
 public:
  virtual ~Watcher() = default;

  // An environment begins an episode, or continues after a lost life.
  virtual void reset(const rl::Environment& env, std::span<const std::byte> obs) = 0;

  // A step was taken from the observation `before`.
  virtual void step(const rl::Environment& env, std::span<const std::byte> before,
                    const rl::Action& action, const rl::StepResult& result,
                    std::span<const std::byte> after) = 0;
};

// Forwards everything to an environment and notifies the watchers, which outlive it.
class WatchedEnvironment final : public rl::Environment {
 public:
  WatchedEnvironment(std::unique_ptr<rl::Environment> env, std::vector<Watcher*> watchers)
      : env_(std::move(env)), watchers_(std::move(watchers)) {}

  const rl::EnvSpec& spec() const override { return env_->spec(); }

  void reset(std::span<std::byte> obs) override {
    env_->reset(obs);
    for (Watcher* watcher : watchers_) watcher->reset(*env_, obs);
  }

  rl::StepResult step(const rl::Action& action, std::span<std::byte> obs) override {
    before_.assign(obs.begin(), obs.end());
    const rl::StepResult result = env_->step(action, obs);
    for (Watcher* watcher : watchers_) watcher->step(*env_, before_, action, result, obs);
    return result;
  }

  void save(StateWriter& out) const override { env_->save(out); }

  void load(const StateReader& in) override { env_->load(in); }

 private:
  std::unique_ptr<rl::Environment> env_;
  std::vector<Watcher*> watchers_;
  std::vector<std::byte> before_;
};

}  // namespace tarl::cli
