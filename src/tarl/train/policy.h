// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "tarl/core/files.h"
#include "tarl/core/threads.h"
#include "tarl/rl/agent.h"
#include "tarl/train/config.h"

namespace tarl::train {

// The agent of a run folder, to act with: the model of a finished run, or the newest good
// checkpoint of one that is not. Reads the folder once, while it may be in use. One thread at a
// time.
class Policy {
 public:
  // Throws Error where there is no run in the folder, or neither a model nor a checkpoint of it.
  // `notice` receives warnings: damaged checkpoints that were passed over.
  explicit Policy(const fs::path& folder,
                  const std::function<void(const std::string&)>& notice = {});

  // The best action it knows for an observation of spec().obs.bytes() bytes; for n of them, one
  // after another, where there are n actions to fill. Continuous actions are in [-1, 1].
  rl::Action act(std::span<const std::byte> obs);
  void act(std::span<const std::byte> obs, std::span<rl::Action> out);

  const RunConfig& config() const { return config_; }

  const rl::EnvSpec& spec() const { return spec_; }

  // The step of the checkpoint in use; nothing for a finished run.
  std::optional<std::int64_t> checkpoint_step() const { return checkpoint_step_; }

  rl::Agent& agent() { return *agent_; }

 private:
  void load(const fs::path& folder, const std::function<void(const std::string&)>& notice);

  RunConfig config_;
  rl::EnvSpec spec_;
  Team team_{1};
  std::unique_ptr<rl::Agent> agent_;
  std::optional<std::int64_t> checkpoint_step_;
};

}  // namespace tarl::train
