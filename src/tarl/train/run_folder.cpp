// SPDX-License-Identifier: MIT
#include "tarl/train/run_folder.h"

#include <algorithm>
#include <utility>

#include "tarl/core/error.h"
#include "tarl/core/formats/number.h"
#include "tarl/core/machine.h"
#include "tarl/store/run_files.h"
#include "tarl/train/extend.h"
#include "tarl/train/loop_records.h"
#include "tarl/train/model_metadata.h"
#include "tarl/train/nonfinite.h"
#include "tarl/train/plugin.h"
#include "tarl/train/reproduce.h"
#include "tarl/train/run.h"

namespace tarl::train {

namespace {

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

// run.json is informational: a run whose copy is damaged continues without it.
std::optional<store::RunInfo> info_before(const fs::path& folder, const Notice& notice) {
  try {
    return store::load_run_info(folder / store::kInfoFile);
  } catch (const Error& problem) {
    if (notice) notice(std::string(problem.what()) + "; it is written anew");
    return std::nullopt;
  }
}

store::RunInfo begin_info(const RunConfig& config, const std::optional<store::RunInfo>& before) {
  store::RunInfo info = store::describe_build();
  info.seed = config.seed;
  info.steps = config.steps;
  info.command = own_command();
  info.reproduce = reproducing_command(config, program_name());
  info.program = this_program().string();
  for (const LoadedPlugin& plugin : loaded_plugins()) {
    info.plugins[plugin.path.string()] = plugin.name + " " + plugin.version;
  }
  info.libraries = envs::registry().libraries();
  info.started = store::utc_now();
  if (before) {
    info.started = before->started;
    info.training_seconds = before->training_seconds;
    info.resumes = before->resumes + 1;
    info.exact = before->exact;
  }
  return info;
}

constexpr const char* kPutBack =
    "put config.toml back as it was, or start another run in another folder";

}  // namespace

void check_computed_with(const fs::path& folder, const RunConfig& config,
                         const store::Loaded& found) {
  if (!found.settings.empty()) {
    const std::string source = (found.folder / "manifest.json").string() + ", settings";
    const RunConfig then =
        caught_up(config_from_toml(found.settings, source, config.own_env), config);
    refuse_changes(folder.string(), differences(then, config), kPutBack);
  }
  // Checkpoints of earlier versions do not say. The last step of a run may overshoot its end by the
  // number of parallel environments.
  if (found.step >= config.steps + config.n_envs) {
    throw UsageError(folder.string() + " has reached step " + std::to_string(found.step) +
                     ", but its settings end it at step " + std::to_string(config.steps) + "; " +
                     kPutBack);
  }
}

void check_settings(const fs::path& folder, const RunConfig& config) {
  if (!fs::exists(folder / store::kConfigFile)) return;
  RunConfig stored = stored_config(folder, config.own_env);
  if (wants_extension(config) && config.extended.from.back() == stored.steps) {
    stored = extended(stored, config.steps);
  }
  refuse_changes(folder.string(), differences(stored, config),
                 "resume it as it was, or choose another folder");
}

void write_settings(const fs::path& folder, const RunConfig& config) {
  const fs::path path = folder / store::kConfigFile;
  if (fs::exists(path)) {
    const RunConfig stored = stored_config(folder, config.own_env);
    if (!differences(stored, config).empty()) return;
    if (cosmetic_differences(stored, config).empty()) return;
  }
  write_file_durably(path, config_to_toml(config, false));
}

bool is_finished(const fs::path& folder, const RunConfig& config, const Notice& notice) {
  const auto info = info_before(folder, notice);
  if (!info || info->status != store::RunStatus::kFinished) return false;
  if (!fs::exists(folder / store::kModelFile) || wants_extension(config)) return false;
  if (info->steps != 0 && info->steps != config.steps) {
    refuse_changes(
        folder.string(),
        {"steps: " + std::to_string(info->steps) + " -> " + std::to_string(config.steps)},
        kPutBack);
  }
  return true;
}

bool has_model_alone(const fs::path& folder) {
  std::error_code unknown;
  return fs::exists(folder / store::kModelFile, unknown) &&
         !fs::exists(folder / store::kCheckpointFolder, unknown) && !info_before(folder, {});
}

RunFolder::RunFolder(fs::path folder, const RunConfig& config, Notice notice, store::LogWatch watch)
    : folder_(std::move(folder)),
      config_(config),
      notice_(std::move(notice)),
      logs_(folder_,
            {.env_id = config.env,
             .tensorboard = config.log.tensorboard,
             .csv = config.log.csv,
             .trace = config.align.trace > 0,
             .clock = {.seconds = [this] { return training_seconds(); }, .utc = store::utc_now},
             .check = [this] { check_lock(); },
             .watch = std::move(watch)}),
      store_(folder_ / store::kCheckpointFolder) {}

void RunFolder::open() {
  make_directories(folder_);
  lock_.emplace(folder_);
  check_settings(folder_, config_);
  // An extension writes its settings when it begins.
  if (!wants_extension(config_)) write_settings(folder_, config_);
  const auto before = info_before(folder_, notice_);
  finished_ = before ? before->status == store::RunStatus::kFinished
                     : fs::exists(folder_ / store::kModelFile);
  info_ = begin_info(config_, before);
  seconds_before_ = info_.training_seconds;
}

void RunFolder::check_lock() const {
  require(lock_.has_value(), "the run folder is open");
  lock_->check();
}

void RunFolder::refuse_extension_without_state() const {
  if (!finished_) return;
  throw UsageError(folder_.string() + " is finished and has no checkpoint to go on from" +
                   "; a run keeps them with checkpoint.keep = true: train one of " +
                   std::to_string(config_.steps) + " steps in another folder");
}

void RunFolder::begin_extension() {
  info_.steps = config_.steps;
  info_.reproduce = reproducing_command(config_, program_name());
  write_status(store::RunStatus::kRunning, "");  // first: a finished run may lose its checkpoints
  write_file_durably(folder_ / store::kConfigFile, config_to_toml(config_, false));
  std::error_code none;
  fs::remove(folder_ / store::kModelFile, none);  // it belongs to the shorter run
  if (notice_) notice_(describe_extension(config_));
}

std::optional<store::Loaded> RunFolder::restore(
    const std::function<void(std::int64_t)>& extend_at) {
  std::vector<std::string> problems;
  std::optional<store::Loaded> found = store_.load_newest(problems);
  for (const std::string& problem : problems) {
    if (notice_) notice_(problem);
  }
  const bool extends = wants_extension(config_);
  if (extends && problems.empty() && !found) refuse_extension_without_state();
  if (extends && (found || problems.empty())) extend_at(found ? found->step : 0);
  if (found) {
    check_computed_with(folder_, config_, *found);
    if (extends) begin_extension();
    logs_.load(found->reader().group("logs"));
    return found;
  }
  if (!problems.empty()) {
    throw Error("every checkpoint in " + folder_.string() +
                " is damaged; put back a copy, or start again in another folder");
  }
  if (extends) begin_extension();
  if (notice_)
    notice_("no checkpoint yet in " + folder_.string() + "; starting from the beginning");
  return std::nullopt;
}

void RunFolder::checkpoint(std::int64_t step, const std::function<void(StateWriter&)>& save_loop,
                           const std::vector<store::Segment>& segments) {
  const auto begin = std::chrono::steady_clock::now();
  Tensors state;
  StateWriter writer(state);
  StateWriter loop_group = writer.group(kLoopGroup), logs_group = writer.group("logs");
  save_loop(loop_group);
  require_finite(state, "loop/agent/");
  logs_.save(logs_group);
  check_lock();
  store_.save(step, state, segments, config_to_toml(config_, false));
  const std::chrono::duration<double> pause = std::chrono::steady_clock::now() - begin;
  ++info_.checkpoints;
  info_.longest_checkpoint_seconds = std::max(info_.longest_checkpoint_seconds, pause.count());
  write_status(store::RunStatus::kRunning, "");
}

void RunFolder::write_ahead(const std::vector<store::Segment>& segments) {
  check_lock();
  store_.write_ahead(segments);
}

void RunFolder::save_tensors(const fs::path& path, const SafetensorsFile& file) const {
  check_lock();
  save_safetensors(path, file);
}

std::string RunFolder::save_suspects(const rl::Sample& sample) const {
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
  const fs::path path = folder_ / store::kNonfiniteBatch;
  save_tensors(path, {tensors, {{"rows", std::to_string(sample.batch.rows)}}});
  return "; the batch is in " + path.string() + ", the last good checkpoint is untouched";
}

void RunFolder::save_best(std::int64_t step, const Tensors& parameters, double mean_return) {
  require_finite(parameters, "");
  auto metadata = model_metadata(config_, step);
  metadata["mean_return"] = format_number(mean_return);
  save_tensors(folder_ / store::kBestModelFile, {parameters, std::move(metadata)});
}

void RunFolder::finish(std::int64_t step, const Tensors& parameters) {
  // Logs first: a finished run has whole files.
  logs_.finish();
  require_finite(parameters, "");
  save_tensors(folder_ / store::kModelFile, {parameters, model_metadata(config_, step)});
  check_lock();
  if (config_.checkpoint.keep) store_.sweep();
  write_status(store::RunStatus::kFinished, "");
  if (!config_.checkpoint.keep) store_.remove_all();
}

double RunFolder::training_seconds() const {
  const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - started_;
  return seconds_before_ + spent.count();
}

void RunFolder::write_status(store::RunStatus status, const std::string& error) {
  check_lock();
  info_.training_seconds = training_seconds();
  info_.updated = store::utc_now();
  info_.status = status;
  info_.error = error;
  store::save_run_info(folder_ / store::kInfoFile, info_);
}

void RunFolder::try_write_status(store::RunStatus status, const std::string& error) {
  check_lock();
  try {
    write_status(status, error);
  } catch (const Error&) {
  }
}

}  // namespace tarl::train
