// SPDX-License-Identifier: MIT
#include "tarl/study/plan/study_folder.h"

#include <algorithm>
#include <map>
#include <set>

#include "tarl/core/error.h"
#include "tarl/core/formats/json.h"
#include "tarl/core/is_there.h"
#include "tarl/store/run_files.h"
#include "tarl/store/run_info.h"
#include "tarl/train/run.h"
#include "tarl/train/run_folder.h"

namespace tarl::study {

namespace {

constexpr std::size_t kMostLines = 8;

// Changed settings, "key: old -> new", and the labels of the conditions they concern.
using Changes = std::map<std::string, std::set<std::string>>;

void compare_studies(const Study& stored, const Study& asked, Changes& changes) {
  for (const Condition& before : stored.conditions) {
    const Condition* after = asked.find(before.label);
    if (after == nullptr) {
      changes["condition: (there) -> (gone)"].insert(before.label);
      continue;
    }
    for (const std::string& env : asked.envs) {
      const auto lines = train::differences(resolve_run(stored, before, env, 0),
                                            resolve_run(asked, *after, env, 0));
      for (const std::string& line : lines) changes[line].insert(before.label);
    }
  }
}

// Presets may have changed with the program since the runs were started.
void compare_runs(std::span<const PlannedRun> runs, Changes& changes) {
  for (const PlannedRun& run : runs) {
    if (!fs::exists(run.folder / store::kConfigFile)) continue;
    const auto lines = train::differences(train::stored_config(run.folder), run.config);
    for (const std::string& line : lines) changes[line].insert(run.label);
  }
}

[[noreturn]] void refuse(const fs::path& out, const Study& asked, const Changes& changes) {
  std::string message = out.string() + " holds a study with other settings (there -> asked for):";
  std::size_t told = 0;
  for (const auto& [line, labels] : changes) {
    if (told++ == kMostLines) {
      message += "\n  and " + std::to_string(changes.size() - kMostLines) + " more";
      break;
    }
    std::string who;
    for (const std::string& label : labels) who += (who.empty() ? "" : ", ") + label;
    if (labels.size() == asked.conditions.size() && labels.size() > 1) who = "every condition";
    message += "\n  " + line + "  [" + who + "]";
  }
  throw UsageError(message + "\nask for the same again, or choose another folder for it");
}

Study merged(const Study& stored, Study asked) {
  std::vector<std::string> envs = stored.envs;
  for (const std::string& env : asked.envs) {
    if (std::find(envs.begin(), envs.end(), env) == envs.end()) envs.push_back(env);
  }
  asked.envs = std::move(envs);
  asked.seeds = std::max(asked.seeds, stored.seeds);
  return asked;
}

// For users' scripts, without resolving anything; nothing here reads it.
std::string study_json(const Study& study) {
  Json json = {
      {"name", study.name},        {"title", study.title},        {"question", study.question},
      {"covers", study.covers},    {"baseline", study.reference}, {"controls", study.controls},
      {"seeds", study.seeds},      {"envs", study.envs},          {"labels", Json::object()},
      {"against", Json::object()}, {"runs", Json::array()}};
  for (const Condition& condition : study.conditions) {
    json["labels"][slug(condition.label)] = condition.label;
    if (!condition.against.empty()) json["against"][condition.label] = condition.against;
    for (const std::string& env : study.envs) {
      for (std::int64_t seed = 0; seed < study.seeds; ++seed) {
        json["runs"].push_back(run_folder(env, condition, seed).string());
      }
    }
  }
  return json_page(json);
}

}  // namespace

fs::path usual_folder(const Study& study) {
  const fs::path name = study.name;
  if (name.filename() != name || name == "." || name == ".." || study.name.empty()) {
    throw UsageError("the study's name '" + study.name +
                     "' is not one of a folder; say where its runs go (--out)");
  }
  return fs::path("runs") / name;
}

Study join_folder(const fs::path& out, const Study& asked) {
  Study held = asked;
  Changes changes;
  if (has_study(out)) {
    const Study stored = stored_study(out);
    compare_studies(stored, asked, changes);
    held = merged(stored, asked);
  }
  compare_runs(plan(asked, out), changes);
  if (!changes.empty()) refuse(out, asked, changes);
  make_directories(out);
  write_file_durably(out / "study.json", study_json(held));
  write_file_durably(out / kStudyFile, study_to_toml(held));
  return held;
}

bool has_study(const fs::path& out) {
  return is_there(out / kStudyFile);
}

Study stored_study(const fs::path& out) {
  const fs::path path = out / kStudyFile;
  if (!has_study(out)) {
    throw Error("no study in " + out.string() +
                " (it has no study.toml); start one with tarl study run");
  }
  return parse_study(read_text(path), out.filename().string(), path.string());
}

void prepare_run(const PlannedRun& run) {
  make_directories(run.folder);
  try {
    train::write_settings(run.folder, run.config);
  } catch (const UsageError&) {
    // The existing file cannot be read: the run reports it itself, and the others continue.
  }
}

std::vector<std::string> train_arguments(const PlannedRun& run) {
  return {"train", "--resume", "--out", run.folder.string()};
}

void mark_failed(const PlannedRun& run, const std::string& why) {
  const fs::path path = run.folder / store::kInfoFile;
  store::RunInfo info = store::describe_build();
  try {
    if (const auto before = store::load_run_info(path)) info = *before;
  } catch (const Error&) {
    // A damaged run.json is part of the failure; a valid one replaces it.
  }
  if (info.status == store::RunStatus::kFailed && !info.error.empty())
    return;  // the run recorded its own status
  info.seed = run.config.seed;
  info.status = store::RunStatus::kFailed;
  info.error = why;
  info.updated = store::utc_now();
  store::save_run_info(path, info);
}

void save_session(const fs::path& out, const StudySession& session) {
  const Json json = {{"executor", session.executor},
                     {"started", session.started},
                     {"steps_at_start", session.steps_at_start}};
  write_file_durably(out / "session.json", json_page(json));
}

std::optional<StudySession> load_session(const fs::path& out) {
  if (!fs::exists(out / "session.json")) return std::nullopt;
  try {
    const Json json = parse_json(read_text(out / "session.json"));
    return StudySession{json.at("executor").get<std::string>(), json.at("started").get<double>(),
                        json.at("steps_at_start").get<double>()};
  } catch (const Json::exception&) {
    return std::nullopt;  // only estimates depend on it
  }
}

std::optional<double> seconds_left(const StudySession& session, double now, double steps_done,
                                   double steps_total) {
  const double gained = steps_done - session.steps_at_start, spent = now - session.started;
  if (gained <= 0 || spent <= 0) return std::nullopt;
  return std::max(0.0, steps_total - steps_done) * spent / gained;
}

}  // namespace tarl::study
