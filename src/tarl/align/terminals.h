// SPDX-License-Identifier: MIT
//
// At a terminal transition both targets are the reward, so the score is 1 by definition and the
// filter keeps a larger share of them than was drawn. These rules isolate that effect: each assigns
// terminals their places, as scores above or below all others, and leaves the rest to the filter.
#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>

#include "tarl/align/align.h"

namespace tarl::align {

enum class Terminals : std::int32_t {
  kScore,   // compete by their score, as all candidates do
  kExempt,  // pass in proportion; the score ranks the others
  kMatch,   // have a given share of the kept rows; the others pass as drawn
};
inline constexpr std::array kTerminalsNames = {"score", "exempt", "match"};

// Above and below all scores.
inline constexpr double kFirst = std::numeric_limits<double>::infinity();
inline constexpr double kLast = -kFirst;

// Exempt: a terminal is kept if and only if it is among the first m candidates, those that the
// plain agent would learn from. As draws are exchangeable, each is kept with probability
// m / (m + b), and there are always enough others to fill the remaining places.
TARL_HOST_DEVICE inline double exempt_place(bool terminal, int row, int batch_size, double score) {
  if (!terminal) return score;
  return row < batch_size ? kFirst : kLast;
}

// Match: the chosen terminals are kept, then non-terminals in the order drawn. Other terminals only
// fill places that would stay empty.
TARL_HOST_DEVICE inline double match_place(bool terminal, bool chosen) {
  return !terminal ? 0.0 : chosen ? kFirst : kLast;
}

// The number of terminals that update `update`, counted from 1, learns from, such that
// floor(share * rows) of the rows of all updates so far are terminals.
TARL_HOST_DEVICE inline int terminal_quota(double share, int batch_size, std::int64_t update) {
  const double each = share * batch_size, n = static_cast<double>(update);
  return static_cast<int>(std::floor(each * n + 1e-9) - std::floor(each * (n - 1) + 1e-9));
}

}  // namespace tarl::align
