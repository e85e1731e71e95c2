// SPDX-License-Identifier: MIT
#include "tarl/train/run.h"

#include <algorithm>
#include <utility>

#include "tarl/core/error.h"
#include "tarl/core/machine.h"
#include "tarl/store/run_files.h"
#include "tarl/train/extend.h"
#include "tarl/train/margin.h"
#include "tarl/train/plugin.h"
#include "tarl/train/replay_segments.h"
#include "tarl/train/run_folder.h"

namespace tarl::train {

namespace {

// Refuses what would overwrite or mix runs, before anything is touched.
void check_folder(const RunRequest& request) {
  const fs::path& folder = request.folder;
  if (request.resume && !fs::is_directory(folder)) {
    throw Error("no run to resume in " + folder.string() + "; start it without --resume");
  }
  if (!request.resume && fs::exists(folder / store::kConfigFile)) {
    throw UsageError(folder.string() +
                     " already holds a run; continue it with --resume or choose another --out");
  }
}

// One run from lock to model file.
class Run {
 public:
  explicit Run(RunRequest request)
      : request_(std::move(request)),
        config_(request_.config),
        team_(request_.threads),
        folder_(request_.folder, config_, request_.notice),
        loop_(config_, team_, folder_.logs()) {
    // The loop is built before the folder is touched: settings that do not fit leave no trace.
    folder_.open();
  }

  RunOutcome train() {
    if (request_.resume) restore();
    if (loop_.step() == 0 && !config_.learns() && request_.notice) {
      request_.notice(
          "no update will be made: learning_starts = " + std::to_string(config_.learning_starts) +
          ", and the run has " + std::to_string(config_.steps) +
          " steps; give it more --steps, or --set learning_starts=...");
    }
    folder_.write_status(store::RunStatus::kRunning, "");
    try {
      return finish(loop_.run({.stop = request_.stop,
                               .progress = [this](const Progress& progress) { show(progress); },
                               .checkpoint = [this] { checkpoint(); },
                               .stored = [this] { write_segments(); },
                               .best = [this](double mean) { save_best(mean); }}));
    } catch (const NonFiniteError& problem) {
      const std::string where = folder_.save_suspects(loop_.suspects());
      folder_.write_status(store::RunStatus::kFailed, problem.what());
      throw NonFiniteError(problem.what() + where);
    } catch (const std::exception& problem) {
      folder_.try_write_status(store::RunStatus::kFailed, problem.what());
      throw;
    }
  }

 private:
  void show(const Progress& progress) {
    last_evaluation_ = progress.evaluation;
    if (request_.progress) request_.progress(progress);
  }

  // Continues from the newest good checkpoint, where there is one.
  void restore() {
    const std::optional<store::Loaded> found =
        folder_.restore([this](std::int64_t step) { config_.extended.at.back() = step; });
    if (!found) return;
    loop_.load(found->reader().group(kLoopGroup));
    load_replay_segments(*found, loop_.replay());
  }

  void checkpoint() {
    folder_.checkpoint(
        loop_.step(), [this](StateWriter& out) { loop_.save(out); },
        replay_segments(loop_.replay()));
    saved_step_ = loop_.step();
  }

  void save_best(double mean) { folder_.save_best(loop_.step(), loop_.agent().parameters(), mean); }

  // Parts of the replay go to disk as they fill: a checkpoint then costs what came after them.
  void write_segments() {
    const std::int64_t sealed = loop_.replay().sealed().last;
    if (sealed == written_ || config_.checkpoint.every == 0) return;
    folder_.write_ahead(replay_segments(loop_.replay()));
    written_ = sealed;
  }

  RunOutcome finish(LoopResult result) {
    RunOutcome outcome{RunEnd::kFinished, loop_.step(), last_evaluation_};
    if (result == LoopResult::kStopped) {
      if (loop_.resumable()) checkpoint();
      folder_.write_status(store::RunStatus::kStopped, "");
      outcome.end = RunEnd::kStopped;
      return outcome;
    }
    const bool keeps = config_.checkpoint.keep && loop_.resumable();
    if (keeps && saved_step_ != loop_.step()) checkpoint();
    folder_.finish(loop_.step(), loop_.agent().parameters());
    return outcome;
  }

  const RunRequest request_;
  RunConfig config_;  // the request's; where an extension begins is known with the checkpoint
  double last_evaluation_ = 0;
  std::int64_t saved_step_ = -1;
  std::int64_t written_ = 0;  // sealed segments of the replay up to this one are on disk
  Team team_;
  RunFolder folder_;
  Loop loop_;
};

RunConfig with_margin_of(const RunRequest& request) {
  if (request.config.margin_is_open() && fs::exists(request.folder / store::kConfigFile)) {
    RunConfig config = request.config;
    config.align.margin = stored_config(request.folder).align.margin;
    return config;
  }
  return with_margin(request.config, request.threads, request.notice);
}

// What is unknown here may come with a plugin or belong to another program: run.json tells.
std::string who_can_read(const fs::path& folder) {
  std::optional<store::RunInfo> info;
  try {
    info = store::load_run_info(folder / store::kInfoFile);
  } catch (const Error&) {
  }
  if (!info) return "";
  std::string missing;
  const auto& here = loaded_plugins();
  for (const auto& used : info->plugins) {
    const bool loaded = std::any_of(here.begin(), here.end(),
                                    [&](const auto& one) { return one.path == used.first; });
    if (!loaded) missing += " --plugin " + used.first;
  }
  if (!missing.empty()) return "; the run was made with" + missing;
  const fs::path program = info->program;
  if (program.empty() || program.filename() == this_program().filename()) return "";
  return "; the run was made by " + program.string();
}

}  // namespace

RunOutcome run_training(const RunRequest& asked) {
  check_folder(asked);
  RunRequest request = asked;
  request.config = with_margin_of(asked);
  if (request.resume && fs::exists(request.folder / store::kConfigFile)) {
    check_settings(request.folder, request.config);
    if (is_finished(request.folder, request.config, request.notice))
      return {RunEnd::kAlreadyFinished, request.config.steps, 0};
    if (has_model_alone(request.folder) && !wants_extension(request.config)) {
      RunFolder folder(request.folder, request.config, request.notice);
      folder.open();
      folder.write_status(store::RunStatus::kFinished, "");
      return {RunEnd::kAlreadyFinished, request.config.steps, 0};
    }
  }
  return Run(std::move(request)).train();
}

fs::path default_folder(const RunConfig& config) {
  std::string algo = config.algo;
  if (config.margin_is_open()) {
    algo += "-marginauto";
  } else if (config.align.margin != (config.algorithm().aligned ? 1.0 : 0.0)) {
    std::string margin = std::to_string(config.align.margin);
    margin.erase(margin.find_last_not_of('0') + 1);
    if (margin.ends_with('.')) margin.pop_back();
    algo += "-margin" + margin;
  }
  return fs::path("runs") / config.env / algo / ("seed" + std::to_string(config.seed));
}

RunConfig stored_config(const fs::path& folder) {
  const fs::path path = folder / store::kConfigFile;
  if (!fs::exists(path)) {
    throw Error("no run in " + folder.string() + " (it has no config.toml)");
  }
  const std::string toml = read_text(path);
  try {
    return config_from_toml(toml, path.string());
  } catch (const UsageError& problem) {
    throw UsageError(problem.what() + who_can_read(folder));
  }
}

}  // namespace tarl::train
