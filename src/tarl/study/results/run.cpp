// SPDX-License-Identifier: MIT
#include "tarl/study/results/run.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <sstream>

#include "tarl/align/align.h"
#include "tarl/core/error.h"
#include "tarl/core/fields.h"
#include "tarl/core/formats/json.h"
#include "tarl/core/formats/number.h"
#include "tarl/core/formats/toml.h"
#include "tarl/core/is_there.h"
#include "tarl/core/shell_words.h"
#include "tarl/replay/kinds.h"
#include "tarl/store/evaluations.h"
#include "tarl/store/progress_csv.h"
#include "tarl/store/run_files.h"
#include "tarl/train/config.h"
#include "tarl/train/schedules.h"

namespace tarl::study {

namespace {

// 0 for values that no counter can have.
std::int64_t to_integer(double value) {
  return std::fabs(value) < 1e18 ? static_cast<std::int64_t>(value) : 0;
}

std::string toml_text(const toml::node& node) {
  if (const auto* text = node.as_string()) return text->get();
  if (const auto* number = node.as_floating_point()) return format_number(number->get());
  if (const auto* list = node.as_array()) {
    std::string items;
    for (const toml::node& item : *list) items += (items.empty() ? "" : ", ") + toml_text(item);
    return "[" + items + "]";
  }
  std::ostringstream out;
  node.visit([&](const auto& value) { out << value; });
  return out.str();
}

void flatten(const toml::table& table, const std::string& prefix, Settings& out) {
  for (const auto& [key, node] : table) {
    const std::string name = prefix + std::string(key.str());
    if (const auto* group = node.as_table()) {
      flatten(*group, name + ".", out);
    } else {
      out[name] = toml_text(node);
    }
  }
}

void flatten(const Json& object, const std::string& prefix, Settings& out) {
  for (const auto& [key, value] : object.items()) {
    if (value.is_object()) {
      flatten(value, prefix + key + ".", out);
    } else if (value.is_array()) {
      for (const Json& item : value) {
        std::string& list = out[prefix + key];
        if (!list.empty()) list += ' ';
        list += item.is_string() ? item.get<std::string>() : json_line(item);
      }
    } else {
      out[prefix + key] = value.is_string() ? value.get<std::string>() : json_line(value);
    }
  }
}

template <class Enum, std::size_t kCount>
void require_known(const Run& run, const char* key, const std::array<const char*, kCount>& names) {
  const std::string text = run.setting(key, names.front());
  if (!find_value<Enum>(names, text)) throw Error(std::string(key) + " = " + text + " is unknown");
}

// Fills in what files of earlier versions leave open and later ones record, so that equal settings
// are equal text. Does nothing if this build lacks the environment or the file is not tarl's.
void complete(const std::string& toml, Settings& settings) {
  Settings all;
  try {
    all = settings_of(train::config_from_toml(toml, store::kConfigFile));
  } catch (const UsageError&) {
    return;
  }
  for (auto& [key, value] : settings) value = all.at(key);
}

// Updates come at multiples of train_freq, after the evaluation of the same step.
std::int64_t first_update(const Run& run) {
  if (!run.config.contains("learning_starts")) return 0;
  const std::int64_t every = std::max<std::int64_t>(1, to_integer(run.number("train_freq", 1)));
  return (to_integer(run.number("learning_starts", 0)) / every + 1) * every;
}

// Those of the longer run that this one is a part of, up to where it ends.
std::int64_t expected_evaluations(const Run& run) {
  const std::int64_t count = to_integer(run.number("eval.count", 0));
  const std::int64_t all = to_integer(run.number("schedule.steps", 0));
  return all > 0 ? train::evaluations_due(run.steps, all, count) : count;
}

void read_config(const fs::path& folder, Run& run) {
  const std::string text = read_text(folder / store::kConfigFile);
  flatten(parse_toml(text, store::kConfigFile), "", run.config);
  complete(text, run.config);
  take_settings(run);
}

double info_number(const Settings& info, const char* key, double otherwise) {
  const auto found = info.find(key);
  return found == info.end() ? otherwise : parse_number(found->second, otherwise);
}

std::vector<std::string> command_words(const Json& info) {
  std::vector<std::string> words;
  const auto found = info.find("command");
  if (found == info.end() || !found->is_array()) return words;
  for (const Json& word : *found) {
    if (word.is_string()) words.push_back(word.get<std::string>());
  }
  return words;
}

void read_info(const fs::path& folder, Run& run) {
  const Json json = parse_json(read_text(folder / store::kInfoFile));
  if (!json.is_object()) throw Error("is not an object");
  flatten(json, "", run.info);
  if (const auto words = command_words(json); !words.empty()) {
    run.info["command"] = shell_line(words);
  }
  take_info(run);
}

void read_evaluations(const fs::path& folder, Run& run) {
  take_evaluations(run, store::read_evaluations(folder / store::kEvaluationsFile));
}

void read_progress(const fs::path& folder, Run& run) {
  run.progress = store::read_progress(folder / store::kProgressFile);
}

// Reads one file if it exists; a failure damages the run, not the study.
template <class Read>
void attempt(const fs::path& folder, const char* file, Run& run, Read read) {
  if (!is_there(folder / file)) return;
  try {
    read(folder, run);
  } catch (const std::exception& problem) {
    const std::string what = problem.what();
    run.damage.push_back(what.starts_with(file) ? what : std::string(file) + ": " + what);
  }
}

}  // namespace

bool Run::complete() const {
  const auto evaluations = static_cast<std::int64_t>(mean_returns.size());
  if (evaluations == 0 || status == store::RunStatus::kFailed) return false;
  return expected_evaluations > 0 ? evaluations >= expected_evaluations
                                  : !status || status == store::RunStatus::kFinished;
}

std::optional<double> Run::steps_per_second() const {
  if (timing && timing->seconds > 0) return static_cast<double>(timing->step) / timing->seconds;
  if (status != store::RunStatus::kFinished || wall_seconds <= 0) return std::nullopt;
  return static_cast<double>(steps) / wall_seconds;
}

void take_timing(Run& run, const fs::path& folder) {
  run.timing.reset();
  if (run.status == store::RunStatus::kFinished) return;
  run.timing = store::last_timing(folder / store::kTimingFile);
  if (run.timing) run.wall_seconds = std::max(run.wall_seconds, run.timing->seconds);
}

std::string Run::setting(const std::string& key, const std::string& otherwise) const {
  const auto found = config.find(key);
  return found == config.end() ? otherwise : found->second;
}

double Run::number(const std::string& key, double otherwise) const {
  const auto found = config.find(key);
  return found == config.end() ? otherwise : parse_number(found->second, otherwise);
}

void take_settings(Run& run) {
  run.env = run.setting("env");
  run.algo = run.setting("algo");
  run.seed = to_integer(run.number("seed", 0));
  run.steps = to_integer(run.number("steps", 0));
  run.label = run.setting("label");
  run.first_update = first_update(run);
  run.expected_evaluations = expected_evaluations(run);
  if (run.env.empty() || run.algo.empty()) throw Error("names no env or no algo");
  require_known<replay::Kind>(run, "replay.kind", replay::kKindNames);
  require_known<align::Mode>(run, "align.mode", align::kModeNames);
}

void take_info(Run& run) {
  if (const auto found = run.info.find("status"); found != run.info.end()) {
    run.status = find_value<store::RunStatus>(store::kRunStatusNames, found->second);
    if (!run.status) throw Error("status = " + found->second + " is unknown");
  }
  run.wall_seconds = info_number(run.info, "training_seconds", -1);
  run.resumes = to_integer(info_number(run.info, "resumes", 0));
}

void take_evaluations(Run& run, const store::Evaluations& evaluations) {
  for (std::size_t at = 0; at < evaluations.count(); ++at) {
    const auto returns = evaluations.returns_of(at);
    run.returns.emplace_back(returns.begin(), returns.end());
    run.mean_returns.push_back(statistics::mean(returns));
  }
  run.timesteps = evaluations.timesteps;
  run.lengths = evaluations.lengths;
}

bool is_run_folder(const fs::path& folder) {
  return is_there(folder / store::kConfigFile) &&
         (is_there(folder / store::kEvaluationsFile) || is_there(folder / store::kInfoFile));
}

Settings settings_of(const train::RunConfig& config) {
  Settings settings;
  flatten(parse_toml(train::config_to_toml(config, false), store::kConfigFile), "", settings);
  return settings;
}

Run read_run_headers(const fs::path& root, const fs::path& folder) {
  Run run;
  run.folder = run.below_source = folder.lexically_relative(root);
  std::error_code unknown;
  run.place = fs::canonical(folder, unknown);
  attempt(folder, store::kConfigFile, run, read_config);
  attempt(folder, store::kInfoFile, run, read_info);
  take_timing(run, folder);
  return run;
}

Run read_run(const fs::path& root, const fs::path& folder) {
  Run run = read_run_headers(root, folder);
  attempt(folder, store::kEvaluationsFile, run, read_evaluations);
  attempt(folder, store::kProgressFile, run, read_progress);
  return run;
}

}  // namespace tarl::study
