// SPDX-License-Identifier: MIT
#include "tarl/study/results/guess_conditions.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <cstdio>
#include <set>

#include "tarl/core/fields.h"
#include "tarl/core/formats/number.h"
#include "tarl/study/results/varying_settings.h"
#include "tarl/train/algorithm.h"
#include "tarl/train/config.h"

namespace tarl::study {

namespace {

// Settings with their own place in a label or beside it.
const std::set<std::string> kNamed = {"seed",         "algo",       "env",        "align.mode",
                                      "align.margin", "batch_size", "replay.kind"};

// "ta-dqn+per" -> "dqn". The agent may be one that this program lacks.
std::string base_of(const std::string& algo) {
  return train::name_parts(algo).base;
}

replay::Kind replay_of(const Run& run) {
  const std::string named = train::name_parts(run.algo).replay;
  return find_value<replay::Kind>(replay::kKindNames, run.setting("replay.kind", named))
      .value_or(replay::Kind::kUniform);
}

std::optional<align::Mode> mode_of(const Run& run) {
  const auto mode = find_value<align::Mode>(align::kModeNames, run.setting("align.mode"))
                        .value_or(align::Mode::kFilter);
  if (mode == align::Mode::kOff) return std::nullopt;
  if (mode != align::Mode::kFilter) return mode;
  const double margin = run.number("align.margin", train::name_parts(run.algo).aligned ? 1.0 : 0.0);
  if (std::floor(margin * run.number("batch_size", 1e9) + 1e-9) > 0) return mode;
  return std::nullopt;
}

std::string mode_name(const Algorithm& algorithm) {
  return algorithm.mode ? align::kModeNames[static_cast<std::size_t>(*algorithm.mode)] : "";
}

// "0.1" and "1.0" as the paper writes margins; more digits if needed.
std::string margin_text(double margin) {
  std::array<char, 32> text;
  std::snprintf(text.data(), text.size(), "%.1f", margin);
  return std::fabs(std::strtod(text.data(), nullptr) - margin) < 1e-9 ? text.data()
                                                                      : format_number(margin);
}

// The batch size most runs of a base algorithm use in an environment; the smaller one of two.
class UsualBatches {
 public:
  explicit UsualBatches(const std::vector<const Run*>& runs) {
    std::map<Group, std::map<Ordered, int>> votes;
    for (const Run* run : runs) ++votes[group(*run)][{run->number("batch_size", 0)}];
    for (const auto& [group, sizes] : votes) {
      const auto most =
          std::max_element(sizes.begin(), sizes.end(),
                           [](const auto& a, const auto& b) { return a.second < b.second; });
      usual_[group] = most->first.value;
    }
  }

  double of(const Run& run) const { return usual_.at(group(run)); }

 private:
  using Group = std::pair<std::string, std::string>;  // environment, base

  static Group group(const Run& run) { return {run.env, base_of(run.algo)}; }

  std::map<Group, double> usual_;
};

// Algorithms that differ only in alignment share a family, so that their labels name the same
// settings and each finds its reference.
std::string family(const Algorithm& algorithm) {
  return std::string(algorithm.base).append("+").append(replay::name_of(algorithm.replay));
}

void add_variants(const Run& run, const std::set<std::string>& keys, Algorithm& algorithm) {
  for (const std::string& key : keys) {
    const bool of_alignment = key.starts_with("align.");
    if (of_alignment && !algorithm.aligned()) continue;
    std::string& list = of_alignment ? algorithm.align_variant : algorithm.variant;
    if (!list.empty()) list += ", ";
    list.append(key).append("=").append(run.setting(key, "unset"));
  }
}

// The settings in a name: all that set the condition apart, or enough of them.
std::string named_settings(const Run& run, const std::set<std::string>& keys,
                           const std::set<std::string>& named, const Algorithm& algorithm) {
  if (named.size() == keys.size()) return algorithm.variant;
  Algorithm brief = identity(run);
  add_variants(run, named, brief);
  return brief.variant + " and " + std::to_string(keys.size() - named.size()) + " more";
}

// What follows the plain name in a label.
std::string suffix(const Algorithm& algorithm, bool margins_vary, const std::string& settings) {
  std::string text;
  if (algorithm.aligned() && !algorithm.filters()) {
    text.append(" (").append(mode_name(algorithm)).append(")");
  } else if (algorithm.aligned() && (margins_vary || algorithm.margin != 1)) {
    text.append(" b=").append(margin_text(algorithm.margin)).append("m");
  }
  if (algorithm.batch_ratio != 1) {
    text.append(" (").append(format_number(algorithm.batch_ratio)).append("m)");
  }
  for (const std::string* part : {&algorithm.align_variant, &settings}) {
    if (!part->empty()) text.append(" ").append(*part);
  }
  return text;
}

}  // namespace

std::string plain_name(const Algorithm& algorithm) {
  std::string name = algorithm.aligned() ? "TA-" : "";
  for (const char c : algorithm.base) {
    name += static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  }
  if (algorithm.replay == replay::Kind::kUniform) return name;
  return name.append("+").append(replay_title(algorithm.replay));
}

bool is_no_variant(const std::string& key) {
  return kNamed.contains(key) || train::is_cosmetic(key) || key == "align.log" ||
         key.starts_with("eval.");
}

Algorithm identity(const Run& run) {
  Algorithm algorithm;
  algorithm.base = base_of(run.algo);
  algorithm.replay = replay_of(run);
  algorithm.mode = mode_of(run);
  if (algorithm.filters()) algorithm.margin = run.number("align.margin", 1.0);
  return algorithm;
}

std::vector<Algorithm> guess_conditions(const std::vector<const Run*>& runs) {
  std::vector<Algorithm> conditions;
  std::map<std::string, std::set<Ordered>> margins;
  const UsualBatches batches(runs);
  for (const Run* run : runs) {
    Algorithm algorithm = identity(*run);
    const double usual = batches.of(*run);
    if (usual > 0) algorithm.batch_ratio = run->number("batch_size", usual) / usual;
    if (algorithm.filters()) margins[plain_name(algorithm)].insert({algorithm.margin});
    conditions.push_back(algorithm);
  }
  std::vector<std::string> families;
  families.reserve(conditions.size());
  for (const Algorithm& algorithm : conditions) families.push_back(family(algorithm));
  const VaryingSettings varying(runs, families);
  for (std::size_t i = 0; i < runs.size(); ++i) {
    Algorithm& algorithm = conditions[i];
    add_variants(*runs[i], varying.keys(i), algorithm);
    const std::string settings =
        named_settings(*runs[i], varying.keys(i), varying.named(i), algorithm);
    const bool margins_vary = margins[plain_name(algorithm)].size() > 1;
    algorithm.condition = plain_name(algorithm) + suffix(algorithm, margins_vary, settings);
  }
  return conditions;
}

}  // namespace tarl::study
