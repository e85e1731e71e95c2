// SPDX-License-Identifier: MIT
#include "tarl/study/results/run_record.h"

#include <algorithm>

#include "tarl/core/error.h"
#include "tarl/core/is_there.h"
#include "tarl/store/run_files.h"
#include "tarl/store/run_lock.h"
#include "tarl/study/results/labels.h"
#include "tarl/train/config.h"
#include "tarl/train/presets.h"

namespace tarl::study {

namespace {

// The word after `option`, or after its "=", in a command line; empty if there is none.
std::string option_value(const std::string& command, const std::string& option) {
  const std::string text = " " + command + " ";
  const std::size_t at = text.find(" " + option);
  if (at == std::string::npos) return "";
  const std::size_t begin = at + option.size() + 2;
  const char separator = text[begin - 1];
  if (separator != ' ' && separator != '=') return "";
  return text.substr(begin, text.find(' ', begin) - begin);
}

// A file could belong to anyone and may have changed since.
bool is_built_in(const std::string& preset) {
  const auto& all = train::presets();
  return std::any_of(all.begin(), all.end(), [&](const train::Preset& one) {
    return one.name == preset || one.name.starts_with(preset + "/") ||
           one.name.ends_with("/" + preset);
  });
}

std::string name_used(const Run& run, const train::ConfigRequest& request) {
  if (request.preset) return train::find_preset(*request.preset, run.env).name;
  const std::string base = train::preset_base(train::parse_algorithm(run.algo));
  const auto preset = train::default_preset(run.env, base);
  return preset ? preset->name : "defaults";
}

}  // namespace

Preset preset_of(const Run& run) {
  Preset preset;
  train::ConfigRequest request;
  request.algo = run.algo;
  request.env = run.env;
  const auto command = run.info.find("command");
  const std::string named =
      command == run.info.end() ? "" : option_value(command->second, "--preset");
  if (is_built_in(named)) {
    request.preset = named;
  } else if (!named.empty()) {
    preset.note = "the run was started with " + named + ", which is not built in";
  }
  try {
    preset.settings = settings_of(train::resolve(request));
    preset.name = name_used(run, request);
  } catch (const Error&) {
    // This build lacks the environment, or the algorithm is of another version.
  }
  return preset;
}

RunRecord read_run_record(const fs::path& folder) {
  if (!is_run_folder(folder)) {
    throw Error(folder.string() + " holds no run; name a folder with config.toml and results");
  }
  RunRecord record;
  record.folder = folder;
  const bool in_use = store::is_in_use(folder);
  record.run = read_run(folder, folder);
  const Run& run = record.run;
  if (run.env.empty() || run.algo.empty()) {
    const std::string why = run.damage.empty() ? "no settings" : run.damage.front();
    throw Error(folder.string() + ": cannot read " + why);
  }
  record.label = label_runs({run}, std::vector<Source>(1)).algorithms.front().label;
  record.phase = phase_of(in_use, run.status);
  const fs::path monitor = folder / store::kMonitorFile;
  if (is_there(monitor)) {
    try {
      record.episodes = store::read_monitor(monitor);
    } catch (const std::exception& problem) {
      record.run.damage.emplace_back(problem.what());
    }
  }
  if (!run.timesteps.empty()) record.step = run.timesteps.back();
  if (record.episodes.count() > 0) {
    const auto last = static_cast<std::int64_t>(record.episodes.steps.back());
    record.step = std::max(record.step, last);
  }
  record.preset = preset_of(run);
  return record;
}

}  // namespace tarl::study
