// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "tarl/core/files.h"
#include "tarl/core/threads.h"
#include "tarl/rl/agent.h"
#include "tarl/train/config.h"
#include "tarl/train/model_metadata.h"

namespace tarl::train {

// Which agent of a run folder.
enum class PolicySource {
  kNewest,      // the model of a finished run, else the newest good checkpoint
  kBest,        // the model of the best evaluation
  kCheckpoint,  // a checkpoint, even of a finished run
};

struct PolicyChoice {
  PolicySource source = PolicySource::kNewest;
  std::optional<std::int64_t> step{};  // of the checkpoint; the newest if not given
  OwnEnv own_env{};                    // of a run whose environment is in no registry
};

// The model file of such a choice; empty if the choice is a checkpoint. Throws Error if there is no
// such model.
std::optional<fs::path> model_file(const fs::path& folder, const PolicyChoice& choice);

// The agent of a run folder, for acting: the model of a finished run, or the newest good checkpoint
// of an unfinished one. Reads the folder once; it may be in use. One thread at a time.
class Policy {
 public:
  // Throws Error if there is no run in the folder, or not the chosen agent. `notice` receives
  // warnings: damaged checkpoints that were skipped.
  explicit Policy(const fs::path& folder,
                  const std::function<void(const std::string&)>& notice = {},
                  const PolicyChoice& choice = {});

  // The greedy action for an observation of spec().obs.bytes() bytes, or for n contiguous ones if
  // there are n actions to fill. Continuous actions are in [-1, 1].
  rl::Action act(std::span<const std::byte> obs);
  void act(std::span<const std::byte> obs, std::span<rl::Action> out);

  const RunConfig& config() const { return config_; }

  const rl::EnvSpec& spec() const { return spec_; }

  // The step of the checkpoint in use; empty for a model file.
  std::optional<std::int64_t> checkpoint_step() const { return checkpoint_step_; }

  // Of the model file in use (docs/model.md); empty for a checkpoint.
  const ModelMetadata& metadata() const { return metadata_; }

  rl::Agent& agent() { return *agent_; }

 private:
  void load_model(const fs::path& path);
  void load_checkpoint(const fs::path& folder, std::optional<std::int64_t> step,
                       const std::function<void(const std::string&)>& notice);

  RunConfig config_;
  rl::EnvSpec spec_;
  Team team_{1};
  std::unique_ptr<rl::Agent> agent_;
  std::optional<std::int64_t> checkpoint_step_;
  ModelMetadata metadata_;
};

}  // namespace tarl::train
