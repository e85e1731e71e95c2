// SPDX-License-Identifier: MIT
#include "tarl/train/run.h"

#include <algorithm>
#include <chrono>
#include <optional>

#include "tarl/core/error.h"
#include "tarl/core/formats/safetensors.h"
#include "tarl/train/checkpoint.h"
#include "tarl/train/nonfinite.h"
#include "tarl/train/replay_journal.h"
#include "tarl/train/run_info.h"
#include "tarl/train/run_lock.h"
#include "tarl/train/signals.h"

namespace tarl::train {

namespace {

constexpr const char* kModelFile = "model.safetensors";

std::vector<std::string> own_command() {
  std::vector<std::string> words;
  std::string word;
  for (const char letter : read_text("/proc/self/cmdline")) {
    if (letter != '\0') {
      word += letter;
    } else {
      words.push_back(std::exchange(word, {}));
    }
  }
  return words;
}

// Refuses what would overwrite or mix runs, before anything is touched.
void check_folder(const RunRequest& request) {
  const fs::path& folder = request.folder;
  if (request.resume && !fs::is_directory(folder)) {
    throw Error("no run to resume in " + folder.string() + "; start it without --resume");
  }
  if (!request.resume && fs::exists(folder / "config.toml")) {
    throw UsageError(folder.string() +
                     " already holds a run; continue it with --resume or choose another --out");
  }
}

// Writes config.toml, or compares with the one the run was started with.
void settle_config(const RunRequest& request) {
  const fs::path path = request.folder / "config.toml";
  if (!fs::exists(path)) {
    write_file_durably(path, config_to_toml(request.config, false));
    return;
  }
  const std::vector<std::string> changed =
      differences(stored_config(request.folder), request.config);
  if (changed.empty()) return;
  std::string message = request.folder.string() + " was started with other settings: ";
  for (std::size_t i = 0; i < changed.size() && i < 5; ++i) {
    message += (i > 0 ? ", " : "") + changed[i];
  }
  if (changed.size() > 5) message += ", and " + std::to_string(changed.size() - 5) + " more";
  throw UsageError(message + "; resume it as it was, or choose another --out");
}

// run.json is only told from: a run whose copy was damaged goes on without it.
std::optional<RunInfo> info_before(const RunRequest& request) {
  try {
    return load_run_info(request.folder / "run.json");
  } catch (const Error& problem) {
    if (request.notice) request.notice(std::string(problem.what()) + "; it is written anew");
    return std::nullopt;
  }
}

RunInfo begin_info(const RunRequest& request) {
  RunInfo info = describe_build();
  info.seed = request.config.seed;
  info.command = own_command();
  info.libraries = envs::registry().libraries();
  info.started = utc_now();
  if (const auto before = info_before(request)) {
    info.started = before->started;
    info.training_seconds = before->training_seconds;
    info.resumes = before->resumes + 1;
  }
  return info;
}

// One run from lock to model file.
class Run {
 public:
  explicit Run(const RunRequest& request)
      : request_(request),
        team_(request.threads),
        logs_(request.folder, {.env_id = request.config.env,
                               .tensorboard = request.config.log.tensorboard,
                               .csv = request.config.log.csv}),
        store_(request.folder / "checkpoints"),
        loop_(request.config, team_, logs_) {
    // The loop is built before the folder is touched: settings that do not fit leave no trace.
    make_directories(request.folder);
    lock_.emplace(request.folder);
    settle_config(request);
    info_ = begin_info(request);
    seconds_before_ = info_.training_seconds;
  }

  RunOutcome train() {
    restore();
    write_info("running", "");
    try {
      return finish(loop_.run({.stop = stop_requested,
                               .progress = [this](const Progress& progress) { show(progress); },
                               .checkpoint = [this] { checkpoint(); },
                               .stored = [this] { write_journal(); }}));
    } catch (const NonFiniteError& problem) {
      const fs::path dump = dump_batch();
      write_info("failed", problem.what());
      throw NonFiniteError(std::string(problem.what()) + "; the batch is in " + dump.string() +
                           ", the last good checkpoint is untouched");
    } catch (const std::exception& problem) {
      try_write_info("failed", problem.what());
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
    if (!request_.resume) return;
    std::vector<std::string> problems;
    const std::optional<Loaded> found = store_.load_newest(problems);
    for (const std::string& problem : problems) notice(problem);
    if (!found && !problems.empty()) {
      throw Error("every checkpoint in " + request_.folder.string() +
                  " is damaged; put back a copy, or start again with another --out");
    }
    if (!found) {
      notice("no checkpoint yet in " + request_.folder.string() + "; starting from the beginning");
      return;
    }
    const StateReader state(found->state, (found->folder / "state.safetensors").string());
    loop_.load(state.group("loop"));
    load_replay_segments(*found, loop_.replay());
    logs_.load(state.group("logs"));
  }

  void checkpoint() {
    const auto begin = std::chrono::steady_clock::now();
    Tensors state;
    StateWriter writer(state);
    StateWriter loop_group = writer.group("loop"), logs_group = writer.group("logs");
    loop_.save(loop_group);
    require_finite(state, "loop/agent/");
    logs_.save(logs_group);
    store_.save(loop_.step(), state, replay_segments(loop_.replay()));
    const std::chrono::duration<double> pause = std::chrono::steady_clock::now() - begin;
    ++info_.checkpoints;
    info_.longest_checkpoint_seconds = std::max(info_.longest_checkpoint_seconds, pause.count());
    write_info("running", "");
  }

  // Parts of the replay go to disk as they fill: a checkpoint then costs what came after them.
  void write_journal() {
    const std::int64_t sealed = loop_.replay().sealed().last;
    if (sealed == journalled_ || request_.config.checkpoint.every == 0) return;
    store_.write_ahead(replay_segments(loop_.replay()));
    journalled_ = sealed;
  }

  RunOutcome finish(LoopResult result) {
    RunOutcome outcome{RunStatus::kFinished, loop_.step(), last_evaluation_};
    if (result == LoopResult::kStopped) {
      checkpoint();
      write_info("stopped", "");
      outcome.status = RunStatus::kStopped;
      return outcome;
    }
    // Logs first: a finished run has whole files.
    Tensors positions;
    StateWriter writer(positions);
    logs_.save(writer);
    const Tensors parameters = loop_.agent().parameters();
    require_finite(parameters, "");
    save_safetensors(
        request_.folder / kModelFile,
        {parameters, {{"env", request_.config.env}, {"steps", std::to_string(loop_.step())}}});
    store_.sweep();
    write_info("finished", "");
    return outcome;
  }

  // The transitions in which a value that is not finite was met.
  fs::path dump_batch() {
    const rl::Sample sample = loop_.suspects();
    Tensors tensors;
    StateWriter out(tensors);
    out.put("index", sample.index);
    out.put("weight", sample.weight);
    out.put("obs", sample.batch.obs);
    out.put("next_obs", sample.batch.next_obs);
    out.put("action_index", sample.batch.action_index);
    out.put("action", sample.batch.action);
    out.put("reward", sample.batch.reward);
    out.put("discount", sample.batch.discount);
    const fs::path path = request_.folder / "nonfinite_batch.safetensors";
    save_safetensors(path, {tensors, {{"rows", std::to_string(sample.batch.rows)}}});
    return path;
  }

  void write_info(const char* status, const std::string& error) {
    const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - started_;
    info_.training_seconds = seconds_before_ + spent.count();
    info_.updated = utc_now();
    info_.status = status;
    info_.error = error;
    save_run_info(request_.folder / "run.json", info_);
  }

  // Where writing is what failed, the first error is the one to tell.
  void try_write_info(const char* status, const std::string& error) {
    try {
      write_info(status, error);
    } catch (const Error&) {
    }
  }

  void notice(const std::string& line) const {
    if (request_.notice) request_.notice(line);
  }

  const RunRequest& request_;
  std::optional<RunLock> lock_;
  RunInfo info_;
  double seconds_before_ = 0;
  std::chrono::steady_clock::time_point started_ = std::chrono::steady_clock::now();
  double last_evaluation_ = 0;
  std::int64_t journalled_ = 0;  // sealed pieces of the replay up to this one are on disk
  Team team_;
  RunLogs logs_;
  CheckpointStore store_;
  Loop loop_;
};

}  // namespace

RunOutcome run_training(const RunRequest& request) {
  check_folder(request);
  if (request.resume && fs::exists(request.folder / "config.toml")) {
    settle_config(request);
    const auto info = info_before(request);
    if (info && info->status == "finished" && fs::exists(request.folder / kModelFile)) {
      return {RunStatus::kAlreadyFinished, request.config.steps, 0};
    }
  }
  const SignalGuard signals;
  Run run(request);
  return run.train();
}

fs::path default_folder(const RunConfig& config) {
  std::string algo = config.algo;
  if (config.align.margin != (config.algorithm.aligned ? 1.0 : 0.0)) {
    std::string margin = std::to_string(config.align.margin);
    margin.erase(margin.find_last_not_of('0') + 1);
    if (margin.ends_with('.')) margin.pop_back();
    algo += "-margin" + margin;
  }
  return fs::path("runs") / config.env / algo / ("seed" + std::to_string(config.seed));
}

RunConfig stored_config(const fs::path& folder) {
  const fs::path path = folder / "config.toml";
  if (!fs::exists(path)) {
    throw Error("no run in " + folder.string() + " (it has no config.toml)");
  }
  return config_from_toml(read_text(path), path.string());
}

}  // namespace tarl::train
