// SPDX-License-Identifier: MIT
#include "tarl/study/results/packed.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "tarl/core/error.h"
#include "tarl/core/formats/json.h"
#include "tarl/core/formats/npz.h"
#include "tarl/core/is_there.h"
#include "tarl/store/progress_csv.h"
#include "tarl/study/plan/study.h"
#include "tarl/study/results/packed_columns.h"
#include "tarl/study/results/packed_format.h"

namespace tarl::study {

namespace {

// In files of any study that a report can show.
constexpr std::uint64_t kMostUnpacked = 1ULL << 28;  // bytes of all arrays
constexpr std::int64_t kMostReturns = 1 << 25;       // of a group

// Part of an array of numbers of any type that pack_study writes, widened.
std::vector<double> numbers_of(const Tensor& array, std::size_t first, std::size_t count) {
  const auto widened = [&](auto values) {
    const auto part = values.subspan(first, count);
    return std::vector<double>(part.begin(), part.end());
  };
  switch (array.dtype) {
    case Dtype::kU8:
      return widened(array.as<std::uint8_t>());
    case Dtype::kU16:
      return widened(array.as<std::uint16_t>());
    case Dtype::kI32:
      return widened(array.as<std::int32_t>());
    case Dtype::kF32:
      return widened(array.as<float>());
    case Dtype::kF64:
      return widened(array.as<double>());
    default:
      throw Error("returns are of a type that none is packed in");
  }
}

Settings settings_from(const Json& json, const char* key, Settings out) {
  const auto found = json.find(key);
  if (found == json.end()) return out;
  for (const auto& [name, value] : found->items()) out[name] = value.get<std::string>();
  return out;
}

// Where the run was in the study's folder, which is where its place is sought.
fs::path folder_in(const Json& run) {
  const fs::path folder = run.at("folder").get<std::string>();
  const fs::path way = folder.lexically_normal();
  if (folder.empty() || folder.is_absolute() || *way.begin() == "..") {
    throw Error("names a run outside of its study: '" + folder.string() + "'");
  }
  return folder;
}

class Unpacker {
 public:
  explicit Unpacker(const fs::path& folder) : folder_(folder) {
    for (auto& [name, array] : load_npz(folder / kPackedFile, kMostUnpacked)) {
      arrays_.emplace(name, std::move(array));
    }
  }

  std::vector<Run> runs() {
    const std::span<const std::byte> text(array(packed_format::kAbout).bytes);
    const Json about = parse_json({reinterpret_cast<const char*>(text.data()), text.size()});
    if (about.at("format").get<std::string>() != packed_format::kFormat) {
      throw Error("its format is '" + about.at("format").get<std::string>() + "', not '" +
                  packed_format::kFormat + "'");
    }
    if (about.at("runs").size() > kMostRuns) throw Error("holds too many runs");
    const Settings settings = settings_from(about, "settings", {});
    const Settings info = settings_from(about, "info", {});
    std::vector<Run> runs;
    for (const Json& one : about.at("runs")) {
      Run run;
      run.folder = run.below_source = folder_in(one);
      run.place = folder_ / run.below_source;
      run.config = settings_from(one, "settings", settings);
      run.info = settings_from(one, "info", info);
      take_settings(run);
      take_info(run);
      take_numbers(one, run);
      runs.push_back(std::move(run));
    }
    return runs;
  }

 private:
  const Tensor& array(const std::string& name) const {
    const auto found = arrays_.find(name);
    if (found == arrays_.end()) throw Error("holds no array '" + name + "'");
    return found->second;
  }

  void take_numbers(const Json& one, Run& run) {
    if (const auto found = one.find("evaluations"); found != one.end()) {
      const auto group = found->get<std::size_t>();
      take_evaluations(run, evaluations_of(group, next_[packed_format::returns(group)]++));
    }
    if (const auto found = one.find("logs"); found != one.end()) {
      const auto group = found->get<std::size_t>();
      take_logs(group, next_[packed_format::log_prefix(group)]++, run);
    }
  }

  store::Evaluations evaluations_of(std::size_t group, std::size_t place) {
    const auto steps = array(packed_format::steps(group)).as<std::int64_t>();
    const Tensor& returns = array(packed_format::returns(group));
    const bool fits =
        returns.shape.size() == 3 && returns.shape[0] > static_cast<std::int64_t>(place) &&
        returns.shape[1] == static_cast<std::int64_t>(steps.size()) && returns.shape[1] > 0 &&
        returns.shape[2] > 0 && static_cast<std::int64_t>(returns.count()) <= kMostReturns;
    if (!fits) throw Error("evaluations and steps do not fit together");
    store::check_steps(steps);
    const auto size = static_cast<std::size_t>(returns.shape[1] * returns.shape[2]);
    std::vector<double> mine = numbers_of(returns, place * size, size);
    if (!std::all_of(mine.begin(), mine.end(), [](double x) { return std::isfinite(x); })) {
      throw Error("holds a return that is not finite");
    }
    return {.timesteps = {steps.begin(), steps.end()}, .returns = std::move(mine), .lengths = {}};
  }

  void take_logs(std::size_t group, std::size_t place, Run& run) {
    const auto steps = array(packed_format::log_steps(group)).as<std::int64_t>();
    run.progress[store::kStepColumn].assign(steps.begin(), steps.end());
    const std::string prefix = packed_format::log_prefix(group);
    for (auto at = arrays_.lower_bound(prefix);
         at != arrays_.end() && at->first.starts_with(prefix); ++at) {
      const std::string column = at->first.substr(prefix.size());
      if (!curves_.contains(at->first)) curves_[at->first] = unpack_column(column, at->second);
      const auto& curves = curves_[at->first];
      if (place >= curves.size() || curves[place].size() != steps.size()) {
        throw Error("'" + at->first + "' and its steps do not fit together");
      }
      run.progress[column] = curves[place];
    }
  }

  fs::path folder_;
  std::map<std::string, Tensor> arrays_;
  std::map<std::string, std::size_t> next_;  // run of a group
  std::map<std::string, std::vector<statistics::Curve>> curves_;
};

}  // namespace

bool is_packed(const fs::path& folder) {
  return is_there(folder / kPackedFile);
}

std::vector<Run> read_packed(const fs::path& folder) {
  const std::string file = (folder / kPackedFile).string();
  try {
    return Unpacker(folder).runs();
  } catch (const std::exception& problem) {
    const std::string what = problem.what();
    throw Error((what.starts_with(file) ? what : file + ": not a packed study: " + what) +
                "; take it from the repository again, or pack its runs with tarl study pack");
  }
}

}  // namespace tarl::study
