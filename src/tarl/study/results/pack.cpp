// SPDX-License-Identifier: MIT
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <set>

#include "tarl/core/error.h"
#include "tarl/core/formats/json.h"
#include "tarl/core/formats/npz.h"
#include "tarl/store/progress_csv.h"
#include "tarl/study/plan/study_folder.h"
#include "tarl/study/results/packed.h"
#include "tarl/study/results/packed_columns.h"
#include "tarl/study/results/packed_format.h"
#include "tarl/study/results/random_scores.h"
#include "tarl/study/results/trace_means.h"

namespace tarl::study {

namespace {

// What of run.json says how a run was made. Names of machines and folders stay where they are.
bool is_kept_info(const std::string& key, const std::string& value) {
  constexpr std::array kKept = {"version", "commit",    "compiler", "flags",
                                "cpu",     "gpu",       "status",   "training_seconds",
                                "resumes", "reproduce", "started",  "error"};
  const bool kept = std::find(kKept.begin(), kKept.end(), key) != kKept.end();
  return !value.empty() && (kept || key.starts_with("libraries."));
}

Settings kept_info(const Run& run) {
  Settings kept;
  for (const auto& [key, value] : run.info) {
    if (is_kept_info(key, value)) kept.emplace(key, value);
  }
  return kept;
}

// What all have in common; taken out of each.
Settings take_shared(std::vector<Settings>& all) {
  Settings shared = all.front();
  for (const Settings& one : all) {
    std::erase_if(shared, [&](const auto& entry) {
      const auto found = one.find(entry.first);
      return found == one.end() || found->second != entry.second;
    });
  }
  for (Settings& one : all) {
    std::erase_if(one, [&](const auto& entry) { return shared.contains(entry.first); });
  }
  return shared;
}

Json json_of(const Settings& settings) {
  Json json = Json::object();
  for (const auto& [key, value] : settings) json[key] = value;
  return json;
}

template <class T>
bool fits(std::span<const double> values) {
  constexpr auto kLeast = static_cast<double>(std::numeric_limits<T>::lowest());
  constexpr auto kMost = static_cast<double>(std::numeric_limits<T>::max());
  return std::all_of(values.begin(), values.end(), [&](double value) {
    return value >= kLeast && value <= kMost &&
           static_cast<double>(static_cast<T>(value)) == value &&
           !(value == 0 && std::signbit(value));
  });
}

template <class T>
Tensor array_of(std::span<const double> values, const std::vector<std::int64_t>& shape) {
  std::vector<T> out;
  for (const double value : values) out.push_back(static_cast<T>(value));
  return Tensor::of(std::span<const T>(out), shape);
}

// In the smallest type that holds every value as it is.
Tensor smallest_array(const std::vector<double>& values, const std::vector<std::int64_t>& shape) {
  if (fits<std::uint8_t>(values)) return array_of<std::uint8_t>(values, shape);
  if (fits<std::uint16_t>(values)) return array_of<std::uint16_t>(values, shape);
  if (fits<std::int32_t>(values)) return array_of<std::int32_t>(values, shape);
  if (fits<float>(values)) return array_of<float>(values, shape);
  return array_of<double>(values, shape);
}

// Runs that share their steps, so that their numbers make one array.
struct RunGroup {
  std::vector<std::int64_t> steps;
  std::vector<const Run*> runs;
};

class Packer {
 public:
  explicit Packer(const std::vector<Run>& runs) : runs_(runs), places_(runs.size()) {}

  std::vector<NamedTensor> pack() {
    pack_evaluations();
    pack_logs();
    const std::string text = json_line(about());
    arrays_.emplace_back(
        packed_format::kAbout,
        Tensor::of(std::as_bytes(std::span(text)), {static_cast<std::int64_t>(text.size())}));
    return std::move(arrays_);
  }

 private:
  using Places = std::array<std::optional<std::size_t>, 2>;  // of evaluations, of logs

  void pack_evaluations() {
    std::map<std::pair<std::vector<std::int64_t>, std::size_t>, std::size_t> known;
    std::vector<RunGroup> groups;
    for (std::size_t i = 0; i < runs_.size(); ++i) {
      const Run& run = runs_[i];
      if (run.timesteps.empty()) continue;
      const auto key = std::pair(run.timesteps, run.returns.front().size());
      const std::size_t group = known.emplace(key, groups.size()).first->second;
      if (group == groups.size()) groups.push_back({run.timesteps, {}});
      groups[group].runs.push_back(&run);
      places_[i][0] = group;
    }
    for (std::size_t g = 0; g < groups.size(); ++g) add_returns(groups[g], g);
  }

  void add_returns(const RunGroup& group, std::size_t number) {
    std::vector<double> returns;
    for (const Run* run : group.runs) {
      for (const auto& one : run->returns) returns.insert(returns.end(), one.begin(), one.end());
    }
    const auto episodes = static_cast<std::int64_t>(group.runs.front()->returns.front().size());
    add_steps(packed_format::steps(number), group.steps);
    arrays_.emplace_back(
        packed_format::returns(number),
        smallest_array(returns, {static_cast<std::int64_t>(group.runs.size()),
                                 static_cast<std::int64_t>(group.steps.size()), episodes}));
  }

  void pack_logs() {
    std::map<std::pair<std::vector<std::int64_t>, std::set<std::string>>, std::size_t> known;
    std::vector<std::pair<RunGroup, std::set<std::string>>> groups;
    for (std::size_t i = 0; i < runs_.size(); ++i) {
      const auto steps = runs_[i].progress.find(store::kStepColumn);
      if (steps == runs_[i].progress.end()) continue;
      std::set<std::string> columns;
      for (const auto& [name, values] : runs_[i].progress) {
        if (is_packed_column(name)) columns.insert(name);
      }
      const std::vector<std::int64_t> at(steps->second.begin(), steps->second.end());
      const std::size_t group = known.emplace(std::pair(at, columns), groups.size()).first->second;
      if (group == groups.size()) groups.push_back({{at, {}}, columns});
      groups[group].first.runs.push_back(&runs_[i]);
      places_[i][1] = group;
    }
    for (std::size_t g = 0; g < groups.size(); ++g) {
      add_steps(packed_format::log_steps(g), groups[g].first.steps);
      for (const std::string& column : groups[g].second) {
        std::vector<statistics::Curve> curves;
        for (const Run* run : groups[g].first.runs) curves.push_back(run->progress.at(column));
        arrays_.emplace_back(packed_format::log_column(g, column), pack_column(column, curves));
      }
    }
  }

  void add_steps(const std::string& name, const std::vector<std::int64_t>& steps) {
    arrays_.emplace_back(name, Tensor::of(std::span<const std::int64_t>(steps),
                                          {static_cast<std::int64_t>(steps.size())}));
  }

  Json about() const {
    std::vector<Settings> settings, info;
    for (const Run& run : runs_) {
      settings.push_back(run.config);
      info.push_back(kept_info(run));
    }
    Json json = {{"format", packed_format::kFormat},
                 {"settings", json_of(take_shared(settings))},
                 {"info", json_of(take_shared(info))},
                 {"runs", Json::array()}};
    for (std::size_t i = 0; i < runs_.size(); ++i) {
      Json run = {{"folder", runs_[i].below_source.string()}};
      if (!settings[i].empty()) run["settings"] = json_of(settings[i]);
      if (!info[i].empty()) run["info"] = json_of(info[i]);
      if (places_[i][0]) run["evaluations"] = *places_[i][0];
      if (places_[i][1]) run["logs"] = *places_[i][1];
      json["runs"].push_back(std::move(run));
    }
    return json;
  }

  const std::vector<Run>& runs_;
  std::vector<Places> places_;
  std::vector<NamedTensor> arrays_;
};

std::vector<Run> runs_to_pack(const fs::path& study) {
  std::vector<Run> runs;
  for (const fs::path& folder : find_run_folders(study)) {
    Run run = read_run(study, folder);
    if (!run.damage.empty()) {
      throw Error(folder.string() + ": cannot read " + run.damage.front() +
                  "; mend or remove the run before the study is packed");
    }
    if (run.timesteps.empty()) continue;
    add_trace_means(folder, run.progress);
    runs.push_back(std::move(run));
  }
  if (runs.empty()) throw Error(study.string() + ": no run with an evaluation to pack");
  return runs;
}

}  // namespace

PackedSize pack_study(const fs::path& study, const fs::path& out) {
  if (!has_study(study)) {
    throw UsageError(study.string() + " holds no study (it has no study.toml); name one that " +
                     "tarl study run has made");
  }
  if (is_packed(study)) throw UsageError(study.string() + " is packed already");
  if (has_study(out) && !is_packed(out)) {
    throw UsageError(out.string() +
                     " is the folder of a study and its runs, whose study.toml would " +
                     "be replaced; pack into a folder of its own (--out)");
  }
  if (fs::exists(out) && !find_run_folders(out).empty()) {
    throw UsageError(out.string() + " holds runs, which reports would count beside the packed " +
                     "ones; give the packed study a folder of its own with --out");
  }
  stored_study(study);  // can be read
  const std::vector<Run> runs = runs_to_pack(study);
  std::vector<std::pair<const char*, std::vector<std::byte>>> files = {
      {kStudyFile, read_file(study / kStudyFile)},
      {kPackedFile, encode_npz(Packer(runs).pack(), Packing::kDeflated)}};
  if (fs::exists(study / kRandomScoresFile)) {
    files.emplace_back(kRandomScoresFile, read_file(study / kRandomScoresFile));
  }
  make_directories(out);
  PackedSize size{.runs = runs.size()};
  for (const auto& [name, bytes] : files) {
    write_file_durably(out / name, bytes);
    size.bytes += bytes.size();
  }
  for (const Run& run : runs) {
    size.evaluations += run.timesteps.size();
    size.unfinished += run.complete() ? 0 : 1;
  }
  return size;
}

}  // namespace tarl::study
