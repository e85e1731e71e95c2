// SPDX-License-Identifier: MIT
#include "tarl/serve/run_index.h"

#include <algorithm>
#include <cmath>
#include <set>

#include <sys/stat.h>

#include "tarl/core/error.h"
#include "tarl/core/formats/json.h"
#include "tarl/core/formats/number.h"
#include "tarl/store/evaluations.h"
#include "tarl/store/monitor_csv.h"
#include "tarl/store/run_files.h"
#include "tarl/store/run_lock.h"
#include "tarl/study/results/labels.h"

namespace tarl::serve {

namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kCurvePoints = 40;  // of a row's small curve
constexpr std::size_t kShortId = 6;       // hexadecimal digits; longer where two agree

std::uint64_t hash_of(const std::string& text) {
  return xxh3(std::as_bytes(std::span(text)));
}

// Changes whenever the file does; 0 if there is none.
std::uint64_t stamp(const fs::path& file, std::int64_t& updated) {
  struct stat seen {};

  if (::stat(file.c_str(), &seen) != 0 || !S_ISREG(seen.st_mode)) return 0;
  updated = std::max<std::int64_t>(updated, seen.st_mtim.tv_sec);
  return hash_of(std::to_string(seen.st_ino) + " " + std::to_string(seen.st_size) + " " +
                 std::to_string(seen.st_mtim.tv_sec) + " " + std::to_string(seen.st_mtim.tv_nsec));
}

// Some of the values, spread evenly, the last among them.
std::vector<double> thinned(const std::vector<double>& values) {
  if (values.size() <= kCurvePoints) return values;
  std::vector<double> out;
  for (std::size_t k = 1; k <= kCurvePoints; ++k) {
    out.push_back(values[(k * values.size() + kCurvePoints - 1) / kCurvePoints - 1]);
  }
  return out;
}

// A study's names for its conditions; nothing if it is not a study or its file cannot be read.
study::Source source_of(const fs::path& folder) {
  try {
    return study::open_source(folder);
  } catch (const Error&) {
    study::Source source;
    source.path = folder;
    return source;
  }
}

void read_scores(RunRow& row) {
  store::Evaluations evaluations = store::read_evaluations(row.folder / store::kEvaluationsFile);
  for (std::size_t at = 0; at < evaluations.count(); ++at) {
    row.mean_returns.push_back(statistics::mean(evaluations.returns_of(at)));
  }
  row.timesteps = std::move(evaluations.timesteps);
}

Json json_of(const RunRow& row) {
  Json json = {{"id", row.id},
               {"path", row.path},
               {"env", row.header.env},
               {"algo", row.header.algo},
               {"label", row.label},
               {"seed", row.header.seed},
               {"status", study::phase_name(row.phase)},
               {"step", row.step},
               {"steps", row.header.steps},
               {"evaluations", row.mean_returns.size()},
               {"updated", row.updated},
               {"seconds", std::max(0.0, row.header.wall_seconds)},
               {"resumes", row.header.resumes}};
  if (const auto pace = row.header.steps_per_second()) json["steps_per_second"] = *pace;
  if (!row.mean_returns.empty()) {
    const auto best = std::max_element(row.mean_returns.begin(), row.mean_returns.end());
    json["last"] = row.mean_returns.back();
    json["best"] = *best;
    json["best_step"] = row.timesteps[static_cast<std::size_t>(best - row.mean_returns.begin())];
    json["curve"] = thinned(row.mean_returns);
  }
  const auto error = row.header.info.find("error");
  if (!row.damage.empty()) {
    json["problem"] = row.damage;
  } else if (error != row.header.info.end() && !error->second.empty()) {
    json["problem"] = error->second;
  }
  return json;
}

}  // namespace

RunIndex::Stamps RunIndex::stamps_of(const fs::path& folder) {
  Stamps stamps;
  std::int64_t& updated = stamps.updated;
  stamps.config = stamp(folder / store::kConfigFile, updated);
  stamps.info = stamp(folder / store::kInfoFile, updated);
  stamps.evaluations = stamp(folder / store::kEvaluationsFile, updated);
  stamps.progress = stamp(folder / store::kProgressFile, updated);
  stamps.monitor = stamp(folder / store::kMonitorFile, updated);
  stamps.in_use = store::is_in_use(folder);
  return stamps;
}

// A file that is being replaced or damaged only means missing information.
void RunIndex::read(Entry& entry, bool& relabel) {
  RunRow& row = entry.row;
  const Stamps found = entry.found;
  const bool new_settings = !entry.known || found.config != entry.read.config;
  if (new_settings || found.info != entry.read.info) {
    row.header = study::read_run_headers(row.folder, row.folder);
    relabel = relabel || new_settings;
  }
  if (!entry.known || found.evaluations != entry.read.evaluations) {
    row.mean_returns.clear();
    row.timesteps.clear();
    entry.bad_evaluations.clear();
    try {
      if (found.evaluations != 0) read_scores(row);
    } catch (const std::exception& problem) {
      entry.bad_evaluations = problem.what();
    }
  }
  study::take_timing(row.header, row.folder);
  row.damage = row.header.damage.empty() ? entry.bad_evaluations : row.header.damage.front();
  row.phase = study::phase_of(found.in_use, row.header.status);
  row.step = row.timesteps.empty() ? 0 : row.timesteps.back();
  if (row.phase == study::RunPhase::kFinished) {
    row.step = std::max(row.step, row.header.steps);
  } else {
    row.step = std::max(row.step, store::last_monitor_step(row.folder / store::kMonitorFile));
  }
  row.updated = found.updated;
  row.version = hash_of(std::to_string(found.config) + " " + std::to_string(found.info) + " " +
                        std::to_string(found.evaluations) + " " + std::to_string(found.progress) +
                        " " + std::to_string(found.monitor) + study::phase_name(row.phase));
  entry.read = found;
  entry.known = true;
}

std::string RunIndex::new_id(const std::string& path) const {
  const std::string digits = format_hash(hash_of(path));
  std::size_t length = kShortId;
  while (length < digits.size() && path_of_id_.contains(digits.substr(0, length))) ++length;
  return digits.substr(0, length);
}

void RunIndex::name(RunRow& row, const fs::path& run, const std::string& path) {
  const auto before = std::find_if(path_of_id_.begin(), path_of_id_.end(),
                                   [&](const auto& one) { return one.second == path; });
  row.id = before == path_of_id_.end() ? new_id(path) : before->first;
  row.folder = run;
  row.path = path;
  path_of_id_[row.id] = path;
}

void RunIndex::find_runs(std::vector<std::string>& changed) {
  std::set<std::string> there;
  std::error_code unknown;
  const bool exists = fs::is_directory(folder_, unknown);
  for (const fs::path& run : exists ? study::find_run_folders(folder_) : std::vector<fs::path>()) {
    const std::string path = run.lexically_relative(folder_).string();
    there.insert(path);
    Entry& entry = entries_[path];
    if (entry.row.id.empty()) name(entry.row, run, path);
    entry.found = stamps_of(run);
  }
  std::erase_if(entries_, [&](const auto& one) {
    if (there.contains(one.first)) return false;
    changed.push_back(one.second.row.id);
    return true;
  });
}

void RunIndex::label() {
  std::vector<study::Run> headers;
  std::vector<RunRow*> rows;
  for (auto& [path, entry] : entries_) {
    if (!entry.known || entry.row.header.env.empty() || entry.row.header.algo.empty()) continue;
    headers.push_back(entry.row.header);
    headers.back().folder = headers.back().below_source = path;
    rows.push_back(&entry.row);
  }
  const study::Labelled labelled = study::label_runs(headers, {source_of(folder_)});
  for (std::size_t i = 0; i < rows.size(); ++i) {
    rows[i]->label = labelled.algorithms[labelled.of_run[i]].label;
  }
}

std::vector<std::string> RunIndex::look(std::chrono::milliseconds budget) {
  const Clock::time_point end = Clock::now() + budget;
  std::vector<std::string> changed;
  if (unread_ == 0) find_runs(changed);
  bool relabel = !changed.empty();
  unread_ = 0;
  for (auto& [path, entry] : entries_) {
    if (!entry.stale()) continue;
    // At least one, so that every look makes progress.
    if (!changed.empty() && Clock::now() >= end) {
      ++unread_;
      continue;
    }
    read(entry, relabel);
    changed.push_back(entry.row.id);
  }
  if (relabel) label();
  return changed;
}

std::vector<const RunRow*> RunIndex::rows() const {
  std::vector<const RunRow*> rows;
  for (const auto& [path, entry] : entries_) {
    if (entry.known) rows.push_back(&entry.row);
  }
  return rows;
}

const RunRow* RunIndex::find(const std::string& id) const {
  const auto path = path_of_id_.find(id);
  if (path == path_of_id_.end()) return nullptr;
  const auto entry = entries_.find(path->second);
  return entry == entries_.end() || !entry->second.known ? nullptr : &entry->second.row;
}

std::string RunIndex::json() const {
  Json runs = Json::array();
  for (const RunRow* row : rows()) runs.push_back(json_of(*row));
  return json_line(Json{{"name", fs::weakly_canonical(folder_).filename().string()},
                        {"unread", unread_},
                        {"runs", runs}});
}

}  // namespace tarl::serve
