// SPDX-License-Identifier: MIT
#pragma once

#include <compare>
#include <string>
#include <vector>

#include "tarl/study/results/labels.h"

namespace tarl::study {

// A number from a user's file, possibly NaN, which sorting must order, too.
struct Ordered {
  double value = 0;

  std::weak_ordering operator<=>(const Ordered& other) const {
    return std::weak_order(value, other.value);
  }

  bool operator==(const Ordered& other) const { return std::is_eq(*this <=> other); }
};

// The condition of each run, inferred from its settings alone if there is no study. Settings that
// vary between runs of one base and replay strategy in one environment become part of the name, or
// of many as few as tell the runs apart; those that cannot change a curve do not.
std::vector<Algorithm> guess_conditions(const std::vector<const Run*>& runs);

// A run's condition according to its settings, without a name.
Algorithm identity(const Run& run);

// Its agent and replay: "TA-DQN+PER".
std::string plain_name(const Algorithm& algorithm);

// Whether a setting has its own place in a condition's name or only affects logging.
bool is_no_variant(const std::string& key);

}  // namespace tarl::study
