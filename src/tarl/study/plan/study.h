// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "tarl/train/config.h"

namespace tarl::study {

inline constexpr std::int64_t kMostSeeds = 10'000;
inline constexpr std::int64_t kMostRuns = 100'000;  // of a grid; each is looked at again and again

// One side of a comparison: an algorithm with settings, under the name shown in reports.
struct Condition {
  std::string label;                       // "TA-DQN b=3.0m"
  std::string algo;                        // "ta-dqn"
  std::string against;                     // label of its reference condition; empty: none
  std::optional<std::string> margin;       // as --margin
  std::map<std::string, std::string> set;  // settings and their values as --set takes them

  bool operator==(const Condition&) const = default;
};

// A question and the grid of runs that answers it: every condition in every environment with
// seeds 0 .. seeds - 1. The files under studies/ explain the format.
struct Study {
  std::string name;  // "minatar-replay"
  std::string title;
  std::string question;
  std::vector<std::string> covers;  // tables and figures of the paper
  std::optional<std::string> preset;
  std::int64_t seeds = 5;
  std::optional<std::string> steps;   // of every run; otherwise the preset's
  std::string reference;              // default label that conditions are compared with
  std::vector<std::string> controls;  // labels that all compared conditions are also compared with
  std::vector<std::string> envs;
  std::vector<Condition> conditions;

  const Condition* find(const std::string& label) const;
};

// Throws UsageError if the seeds are too few or too many, or the whole grid is too large.
void check_size(const Study& study, const std::string& source);

// Reads a study. Throws UsageError with file, line and advice on an unknown key, a duplicate label
// or one that gives the same folder as another, and a comparison with an unknown label.
Study parse_study(const std::string& toml, const std::string& name, const std::string& source);
std::string study_to_toml(const Study& study);

// The studies compiled into the program.
const std::vector<Study>& studies();

// One of these by name, or a .toml file. Throws UsageError with the nearest names.
Study find_study(const std::string& name_or_file);

// The folder name of a label: lower case, with one '-' for each run of anything but letters,
// digits, '+' and '.'. "TA-DQN (b=3.0m)" becomes "ta-dqn-b-3.0m".
std::string slug(const std::string& label);

// The settings of one run of the grid. Throws UsageError.
train::RunConfig resolve_run(const Study& study, const Condition& condition, const std::string& env,
                             std::int64_t seed);

}  // namespace tarl::study
