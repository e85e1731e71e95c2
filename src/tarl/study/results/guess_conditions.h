// SPDX-License-Identifier: MIT
#pragma once

#include <compare>
#include <string>
#include <vector>

#include "tarl/study/results/labels.h"

namespace tarl::study {

// A number from somebody's file that may be NaN: sorting needs a place for that, too.
struct Ordered {
  double value = 0;

  std::weak_ordering operator<=>(const Ordered& other) const {
    return std::weak_order(value, other.value);
  }

  bool operator==(const Ordered& other) const { return std::is_eq(*this <=> other); }
};

// The condition of each run, made from its settings alone, where no study says more. Settings that
// vary between runs of one base and replay strategy in one environment become part of the name;
// those that cannot change a curve do not.
std::vector<Algorithm> guess_conditions(const std::vector<const Run*>& runs);

// What one run's settings say about its condition, without a name.
Algorithm identity(const Run& run);

// Its agent and replay: "TA-DQN+PER".
std::string plain_name(const Algorithm& algorithm);

// Whether a setting has a place of its own in a condition's name or only says how a run is watched.
bool is_no_variant(const std::string& key);

}  // namespace tarl::study
