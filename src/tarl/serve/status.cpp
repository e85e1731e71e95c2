// SPDX-License-Identifier: MIT
#include <cmath>
#include <map>

#include "tarl/core/formats/json.h"
#include "tarl/serve/live.h"
#include "tarl/study/plan/study_folder.h"

namespace tarl::serve {

namespace {

using study::RunPhase;

double seconds_since_1970() {
  return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

// Steps of a study's runs, and how many runs have not begun.
struct Progress {
  double done = 0, total = 0;
  std::int64_t missing = 0;
};

Progress progress_of(const std::vector<study::PlannedRun>& plan, const RunIndex& index) {
  std::map<fs::path, const RunRow*> begun;
  for (const RunRow* row : index.rows()) begun[row->folder.lexically_normal()] = row;
  Progress progress;
  for (const study::PlannedRun& run : plan) {
    const auto found = begun.find(run.folder.lexically_normal());
    if (found == begun.end()) ++progress.missing;
    if (found != begun.end() && found->second->phase == RunPhase::kFailed) continue;
    progress.total += static_cast<double>(run.config.steps);
    if (found != begun.end()) progress.done += static_cast<double>(found->second->step);
  }
  return progress;
}

void add_study(const fs::path& folder, const RunIndex& index, Json& json) {
  const study::Study study = study::stored_study(folder);
  const Progress progress = progress_of(study::plan(study, folder), index);
  json["name"] = study.name;
  json["missing"] = progress.missing;
  json["runs"] = index.rows().size() + static_cast<std::size_t>(progress.missing);
  const auto session = study::load_session(folder);
  if (!session || json["running"] == 0) return;
  const auto left =
      study::seconds_left(*session, seconds_since_1970(), progress.done, progress.total);
  // In whole minutes, so that listeners are not notified every second.
  if (left) json["seconds_left"] = 60 * std::ceil(*left / 60);
}

}  // namespace

std::string status_json(const fs::path& folder, const RunIndex& index) {
  std::error_code unknown;
  const std::string name = fs::weakly_canonical(folder, unknown).filename().string();
  if (!fs::is_directory(folder, unknown)) {
    return json_line(
        Json{{"name", name}, {"problem", "the folder " + folder.string() + " is gone"}});
  }
  std::map<RunPhase, std::int64_t> counts;
  for (const RunRow* row : index.rows()) ++counts[row->phase];
  Json json = {{"name", name}, {"runs", index.rows().size()}};
  for (const RunPhase phase :
       {RunPhase::kFinished, RunPhase::kRunning, RunPhase::kStopped, RunPhase::kFailed}) {
    json[study::phase_name(phase)] = counts[phase];
  }
  json["missing"] = 0;
  if (fs::exists(folder / "study.toml", unknown)) add_study(folder, index, json);
  return json_line(json);
}

}  // namespace tarl::serve
