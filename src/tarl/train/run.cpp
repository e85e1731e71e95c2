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

std::unique_ptr<RunFolder> make_folder(const RunRequest& request, const RunConfig& config) {
  if (request.folder.empty()) return nullptr;
  return std::make_unique<RunFolder>(request.folder, config, request.notice, request.watch);
}

std::unique_ptr<store::RunLogs> make_memory_logs(const RunRequest& request) {
  if (!request.folder.empty()) return nullptr;
  return std::make_unique<store::RunLogs>(fs::path(), store::LogOptions{.watch = request.watch});
}

RunConfig with_margin_of(const RunRequest& request) {
  if (request.config.margin_is_open() && fs::exists(request.folder / store::kConfigFile)) {
    RunConfig config = request.config;
    config.align.margin = stored_config(request.folder, config.own_env).align.margin;
    return config;
  }
  return with_margin(request.config, request.threads, request.notice);
}

// What is unknown here may come from a plugin or belong to another program: run.json says which.
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

// Groups of a state that has no folder.
constexpr const char* kSegmentsGroup = "segments";
constexpr const char* kLogsGroup = "logs";

}  // namespace

Run::Run(RunRequest request)
    : request_(std::move(request)),
      config_(request_.config),
      team_(request_.threads),
      folder_(make_folder(request_, config_)),
      memory_logs_(make_memory_logs(request_)),
      loop_(config_, team_, logs()) {}

void Run::open() {
  if (opened_) return;
  opened_ = true;
  if (!folder_) return;
  folder_->open();
  if (request_.resume) restore();
}

RunOutcome Run::train() {
  if (broken_) {
    throw Error(
        "an exception left this run in the middle of a step; go on from its last checkpoint, or "
        "begin anew");
  }
  open();
  broken_ = true;  // until the loop returns normally
  warn_without_updates();
  if (folder_) folder_->write_status(store::RunStatus::kRunning, "");
  RunOutcome outcome;
  try {
    outcome = finish(run_loop());
  } catch (const NonFiniteError& problem) {
    if (!folder_) throw;
    const std::string where = folder_->save_suspects(loop_.suspects());
    folder_->write_status(store::RunStatus::kFailed, problem.what());
    throw NonFiniteError(problem.what() + where);
  } catch (const std::exception& problem) {
    if (folder_) folder_->try_write_status(store::RunStatus::kFailed, problem.what());
    throw;
  }
  broken_ = false;
  return outcome;
}

void Run::plan(std::int64_t steps, const EvalConfig& eval, std::int64_t log_every) {
  require(!opened_, "a run is planned before it is opened");
  RunConfig planned = config_;
  planned.steps = steps;
  planned.eval = eval;
  planned.log.every = log_every;
  check(planned);
  config_ = std::move(planned);
}

void Run::set_steps(std::int64_t steps) {
  if (steps == config_.steps) return;
  if (!opened_) {
    config_.steps = steps;
    return;
  }
  config_ = extended(config_, steps, loop_.step());
  if (folder_) folder_->begin_extension();
}

void Run::save(StateWriter& out) {
  StateWriter loop_group = out.group(kLoopGroup), logs_group = out.group(kLogsGroup);
  loop_.save(loop_group);
  logs().save(logs_group);
  StateWriter segments = out.group(kSegmentsGroup);
  save_segments(loop_.replay(), segments);
}

void Run::load(const StateReader& in) {
  require(!folder_ && loop_.step() == 0, "a run that can be loaded is new, and in memory");
  opened_ = true;
  logs().load(in.group(kLogsGroup));
  loop_.load(in.group(kLoopGroup));
  load_segments(in.group(kSegmentsGroup), loop_.replay());
  tell_restarts();
}

LoopResult Run::run_loop() {
  return loop_.run({.stop = request_.stop,
                    .progress = [this](const Progress& progress) { show(progress); },
                    .checkpoint = [this] { checkpoint(); },
                    .stored = [this] { stepped(); },
                    .best = [this](double mean) { save_best(mean); }});
}

void Run::warn_without_updates() const {
  if (loop_.step() > 0 || config_.learns() || !request_.notice) return;
  request_.notice(
      "no update will be made: learning_starts = " + std::to_string(config_.learning_starts) +
      ", and the run has " + std::to_string(config_.steps) +
      " steps; give it more steps, or lower learning_starts");
}

void Run::show(const Progress& progress) {
  last_evaluation_ = progress.evaluation;
  if (request_.progress) request_.progress(progress);
}

void Run::stepped() {
  write_segments();
  if (request_.stepped) request_.stepped(loop_.step());
}

// Continues from the newest good checkpoint, if there is one.
void Run::restore() {
  const std::optional<store::Loaded> found =
      folder_->restore([this](std::int64_t step) { config_.extended.at.back() = step; });
  if (!found) return;
  loop_.load(found->reader().group(kLoopGroup));
  load_replay_segments(*found, loop_.replay());
  tell_restarts();
}

void Run::tell_restarts() {
  const int restarts = loop_.restarts();
  if (restarts == 0) return;
  if (folder_) folder_->note_inexact();
  if (!request_.notice) return;
  request_.notice("step " + std::to_string(loop_.step()) + ": " + std::to_string(restarts) +
                  " of " + std::to_string(config_.n_envs) + " environments of " + config_.env +
                  " could not be put back and begin new episodes: what follows is not to the bit "
                  "what it would have been");
}

void Run::checkpoint() {
  if (!folder_) return;
  folder_->checkpoint(
      loop_.step(), [this](StateWriter& out) { loop_.save(out); }, replay_segments(loop_.replay()));
  saved_step_ = loop_.step();
  if (request_.checkpointed) request_.checkpointed(saved_step_);
}

void Run::save_best(double mean) {
  if (folder_) folder_->save_best(loop_.step(), loop_.agent().parameters(), mean);
}

// Replay segments go to disk as they fill, so that a checkpoint only costs what came after them.
void Run::write_segments() {
  const std::int64_t sealed = loop_.replay().sealed().last;
  if (!folder_ || sealed == written_ || config_.checkpoint.every == 0) return;
  folder_->write_ahead(replay_segments(loop_.replay()));
  written_ = sealed;
}

RunOutcome Run::finish(LoopResult result) {
  RunOutcome outcome{RunEnd::kFinished, loop_.step(), last_evaluation_};
  if (result == LoopResult::kStopped) outcome.end = RunEnd::kStopped;
  if (!folder_) return outcome;
  if (result == LoopResult::kStopped) {
    if (loop_.resumable()) checkpoint();
    folder_->write_status(store::RunStatus::kStopped, "");
    return outcome;
  }
  const bool keeps = config_.checkpoint.keep && loop_.resumable();
  if (keeps && saved_step_ != loop_.step()) checkpoint();
  folder_->finish(loop_.step(), loop_.agent().parameters());
  return outcome;
}

std::optional<RunOutcome> settle(RunRequest& request) {
  check_folder(request);
  request.config = with_margin_of(request);
  if (request.resume && fs::exists(request.folder / store::kConfigFile)) {
    check_settings(request.folder, request.config);
    if (is_finished(request.folder, request.config, request.notice))
      return RunOutcome{RunEnd::kAlreadyFinished, request.config.steps, 0};
    if (has_model_alone(request.folder) && !wants_extension(request.config)) {
      RunFolder folder(request.folder, request.config, request.notice);
      folder.open();
      folder.write_status(store::RunStatus::kFinished, "");
      return RunOutcome{RunEnd::kAlreadyFinished, request.config.steps, 0};
    }
  }
  return std::nullopt;
}

RunOutcome run_training(const RunRequest& asked) {
  RunRequest request = asked;
  if (const auto over = settle(request)) return *over;
  // The run is built before its folder is touched, so that invalid settings leave no trace.
  Run run(std::move(request));
  return run.train();
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

RunConfig stored_config(const fs::path& folder, const OwnEnv& own_env) {
  const fs::path path = folder / store::kConfigFile;
  if (!fs::exists(path)) {
    throw Error("no run in " + folder.string() + " (it has no config.toml)");
  }
  const std::string toml = read_text(path);
  try {
    return config_from_toml(toml, path.string(), own_env);
  } catch (const UsageError& problem) {
    throw UsageError(problem.what() + who_can_read(folder));
  }
}

}  // namespace tarl::train
