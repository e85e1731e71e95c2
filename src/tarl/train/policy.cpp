// SPDX-License-Identifier: MIT
#include "tarl/train/policy.h"

#include "tarl/core/error.h"
#include "tarl/core/formats/safetensors.h"
#include "tarl/store/checkpoint.h"
#include "tarl/store/run_files.h"
#include "tarl/train/loop_records.h"
#include "tarl/train/make_agent.h"
#include "tarl/train/run.h"

namespace tarl::train {

std::optional<fs::path> model_file(const fs::path& folder, const PolicyChoice& choice) {
  const fs::path model = folder / store::kModelFile, best = folder / store::kBestModelFile;
  if (choice.source == PolicySource::kNewest && fs::exists(model)) return model;
  if (choice.source != PolicySource::kBest) return std::nullopt;
  if (fs::exists(best)) return best;
  throw Error(folder.string() + " has no " + store::kBestModelFile +
              ": no evaluation was made yet, or none that beat those of an earlier version");
}

Policy::Policy(const fs::path& folder, const std::function<void(const std::string&)>& notice,
               const PolicyChoice& choice)
    : config_(stored_config(folder, choice.own_env)) {
  const Rng unused = seeded(0);  // the parameters come from the folder
  spec_ = config_.environment().make(config_.env_config, unused)->spec();
  agent_ = make_agent(config_, spec_, unused, team_);
  if (const auto model = model_file(folder, choice)) {
    load_model(*model);
  } else {
    load_checkpoint(folder, choice.step, notice);
  }
}

void Policy::load_model(const fs::path& path) {
  const SafetensorsFile file = load_safetensors(path);
  agent_->set_parameters(StateReader(file.tensors, path.string()));
  metadata_ = file.metadata;
}

void Policy::load_checkpoint(const fs::path& folder, std::optional<std::int64_t> step,
                             const std::function<void(const std::string&)>& notice) {
  store::CheckpointStore checkpoints(folder / store::kCheckpointFolder);
  std::vector<std::string> problems;
  const auto found = step ? checkpoints.load_step(*step) : checkpoints.load_newest(problems);
  for (const std::string& problem : problems) {
    if (notice) notice(problem);
  }
  if (!found) {
    throw Error(folder.string() + (fs::exists(folder / store::kModelFile)
                                       ? " has no checkpoint; leave out --checkpoint"
                                       : " has no model and no checkpoint yet"));
  }
  agent_->load(found->reader().group(kLoopGroup).group(kAgentGroup));
  checkpoint_step_ = found->step;
}

rl::Action Policy::act(std::span<const std::byte> obs) {
  rl::Action action;
  act(obs, std::span(&action, 1));
  return action;
}

void Policy::act(std::span<const std::byte> obs, std::span<rl::Action> out) {
  require(obs.size() == out.size() * spec_.obs.bytes(), "observations of another size");
  std::vector<Rng> unused(out.size());  // the greedy action draws nothing
  agent_->act(obs, static_cast<int>(out.size()), {.explore = false, .epsilon = 0}, unused, out);
}

}  // namespace tarl::train
