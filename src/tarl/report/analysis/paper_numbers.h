// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tarl/study/results/labels.h"

namespace tarl::report {

// One row of a published table: nAUC of one configuration, by environment of the table.
struct PaperRow {
  const char* label;
  const char* base;
  replay::Kind replay;
  double margin;       // b as a multiple of m; 0 for a plain agent
  double batch_ratio;  // 2 for the doubled batch
  std::span<const double> nauc;
};

struct PaperTable {
  int number;  // in the paper
  const char* id;
  const char* title;
  std::span<const char* const> environments;  // environment_key of each column
  std::span<const PaperRow> rows;
  const char* protocol;           // "2M steps, 5 seeds"
  std::span<const double> steps;  // environment steps per run, by column
  int seeds;                      // 0: not stated
};

// The four tables of Pleiss, Harrison and Schiffer, "Target-Aligned Reinforcement Learning"
// (arXiv 2603.29501v2), appendix.
std::span<const PaperTable> paper_tables();

// The row of the same agent; null if the paper has none.
const PaperRow* paper_row(const PaperTable& table, const study::Algorithm& algorithm);

// Column of an environment; empty if the table has none.
std::optional<std::size_t> paper_column(const PaperTable& table, std::string_view env);

// Published cost of alignment, in percent of wall-clock time; empty if not published for the base.
struct PaperCost {
  const char* base;
  double overhead_percent;
  const char* text;
};

const PaperCost* paper_cost(std::string_view base);

}  // namespace tarl::report
