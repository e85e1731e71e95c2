// SPDX-License-Identifier: MIT
#include "tarl/inspect/reopened.h"

#include <algorithm>
#include <optional>

#include "tarl/core/error.h"
#include "tarl/core/machine.h"
#include "tarl/store/run_files.h"
#include "tarl/train/extend.h"
#include "tarl/train/replay_segments.h"
#include "tarl/train/reproduce.h"
#include "tarl/train/run.h"
#include "tarl/train/run_folder.h"
#include "tarl/train/schedules.h"
#include "tarl/train/trace.h"

namespace tarl::inspect {

namespace {

constexpr std::int64_t kMostPeriods = 4;  // for which a run may be asked to continue

[[noreturn]] void refuse_without_checkpoint(const fs::path& folder,
                                            const train::RunConfig& config) {
  const std::string where = folder.string();
  if (fs::exists(folder / store::kModelFile)) {
    throw UsageError(where +
                     " is finished and has kept no checkpoint: its replay is gone. A run keeps its "
                     "last one with checkpoint.keep = true; make it again with " +
                     train::reproducing_command(config, program_name()) +
                     " --set checkpoint.keep=true --out DIR");
  }
  const std::string every =
      config.checkpoint.every > 0
          ? "writes one every " + std::to_string(config.checkpoint.every) + " steps and "
          : "writes one ";
  throw UsageError(where + " has no checkpoint yet; a run " + every +
                   "when it is stopped (Ctrl-C), and keeps its last one with checkpoint.keep = "
                   "true: tarl train --resume --set checkpoint.keep=true --out " +
                   where);
}

store::Loaded newest_checkpoint(const Request& request, const train::RunConfig& config) {
  std::vector<std::string> problems;
  std::optional<store::Loaded> found =
      store::CheckpointStore(request.run / store::kCheckpointFolder)
          .load_newest(problems, store::Mend::kNever);
  for (const std::string& problem : problems) {
    if (request.notice) request.notice(problem);
  }
  if (!found && !problems.empty()) {
    throw Error("every checkpoint in " + request.run.string() +
                " is damaged; put back a copy, or let tarl train --resume mend what it can");
  }
  if (!found) refuse_without_checkpoint(request.run, config);
  train::check_computed_with(request.run, config, *found);
  return std::move(*found);
}

std::int64_t period_steps_of(const train::RunConfig& config) {
  if (config.algorithm().agent().syncs_by_steps) return config.target_update_interval;
  return (config.target_update_interval * config.train_freq + config.gradient_steps - 1) /
         config.gradient_steps;
}

// The settings for continuing in memory: no evaluations, no logs, and a run that would end within a
// few target periods is extended.
train::RunConfig for_memory(train::RunConfig config, std::int64_t step) {
  const std::int64_t needed = step + kMostPeriods * period_steps_of(config) + config.n_envs;
  if (config.steps <= needed) {
    config = train::extended(config, train::next_total(config, needed + 1), step);
  }
  config.eval.count = 1;  // at the end, which is not reached
  config.align.trace = 0;
  config.log.every = 0;
  return config;
}

}  // namespace

Reopened::Reopened(const Request& request) : Reopened(request, train::stored_config(request.run)) {}

Reopened::Reopened(const Request& request, const train::RunConfig& config)
    : Reopened(request, config, newest_checkpoint(request, config)) {}

Reopened::Reopened(const Request& request, const train::RunConfig& config,
                   const store::Loaded& checkpoint)
    : config_(for_memory(config, checkpoint.step)),
      team_(request.threads),
      logs_(fs::path(), {}),
      loop_(config_, team_, logs_) {
  loop_.load(checkpoint.reader().group(train::kLoopGroup));
  train::load_replay_segments(checkpoint, loop_.replay());
  check();
}

void Reopened::check() const {
  if (loop_.learner().updates() == 0) {
    throw UsageError("the checkpoint of step " + std::to_string(step()) +
                     " is from before the first update (learning_starts = " +
                     std::to_string(config_.learning_starts) +
                     "); inspect the run when it has learned");
  }
  const bool by_steps = config_.algorithm().agent().syncs_by_steps;
  if (copies_target() && by_steps &&
      config_.target_update_interval <= std::max(config_.train_freq, config_.n_envs)) {
    throw UsageError(
        "the target of this run is copied whenever it learns (target_update_interval "
        "= " +
        std::to_string(config_.target_update_interval) +
        "): there is no older one to compare with");
  }
}

std::int64_t Reopened::period_steps() const {
  return period_steps_of(config_);
}

std::int64_t Reopened::period_updates() const {
  if (!config_.algorithm().agent().syncs_by_steps) return config_.target_update_interval;
  return config_.target_update_interval / config_.train_freq * config_.gradient_steps;
}

std::int64_t Reopened::updates_at_once() const {
  return (config_.n_envs + config_.train_freq - 1) / config_.train_freq * config_.gradient_steps;
}

bool Reopened::target_moves_first() const {
  if (!copies_target() || !config_.algorithm().agent().syncs_by_steps) return false;
  std::int64_t before = step(), after = before;
  do {
    before = after;
    after += config_.n_envs;
  } while (train::multiples_passed(before, after, config_.train_freq) == 0);
  return train::multiples_passed(step(), after, config_.target_update_interval) > 0;
}

store::Trace Reopened::look(std::int64_t number, Rng& sample_rng, Rng& noise_rng) {
  const double progress =
      static_cast<double>(step()) / static_cast<double>(train::steps_in_force(config_, step()));
  learner().look(number, progress, sample_rng, noise_rng);
  return train::looked_at(learner(), step(), loop_.replay().capacity());
}

void Reopened::go_on(const std::function<bool()>& until) {
  if (until()) return;
  loop_.run({.stop = until});
}

}  // namespace tarl::inspect
