// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "tarl/report/analysis/analysis.h"
#include "tarl/store/trace.h"

namespace tarl::report {

// Candidates of one kind, and how many of them were kept.
struct KeptCount {
  std::int64_t candidates = 0;
  std::int64_t kept = 0;
  double alignment = 0;       // sum over candidates, by the paper's score
  double kept_alignment = 0;  // and over the kept ones

  // NaN if there are none.
  double chance() const { return static_cast<double>(kept) / static_cast<double>(candidates); }

  double mean_alignment() const { return alignment / static_cast<double>(candidates); }

  double mean_kept_alignment() const { return kept_alignment / static_cast<double>(kept); }
};

struct KeptKind {
  std::string name;  // "terminal", "1000 to 2999"
  double place = 0;  // in their order
  KeptCount count;
};

inline constexpr const char* kTerminalKind = "terminal";

// The candidates grouped into kinds by one of their properties; empty kinds are omitted.
struct KeptBy {
  std::string property;  // "reward"
  std::vector<KeptKind> kinds;
  // Whether a kind consists of whole updates, which all keep the same share of their candidates.
  bool of_updates = false;
};

// The combined traces (trace.npz) of one algorithm in one environment.
struct FilterCounts {
  std::size_t environment = 0;
  std::size_t algorithm = 0;
  std::size_t runs = 0;
  std::int64_t updates = 0;
  KeptCount all;
  std::vector<KeptBy> by;  // terminal, reward, age, lag (of hard syncs), alignment, scenario
  std::vector<std::string> damage;  // traces that could not be read, and why
};

// Accumulates traces one at a time, without keeping them.
class FilterCounter {
 public:
  void add(const store::Trace& trace);

  // Adds a run's trace if it has one.
  void add(const study::Run& run);

  // The lag is omitted if targets are blended (`hard` false).
  FilterCounts counts(bool hard) const;

  FilterCounts counts() const { return counts(hard_); }

 private:
  using Counts = std::map<double, KeptCount>;  // by kind, in their order

  void add_row(const store::Trace& trace, std::size_t row);
  void add_fifths(const store::Trace& trace);
  KeptBy rewards() const;
  KeptBy lags() const;

  std::size_t runs_ = 0;
  std::int64_t updates_ = 0;
  KeptCount all_;
  bool many_rewards_ = false;
  bool hard_ = true;  // all runs copy their targets
  std::vector<std::string> damage_;
  Counts terminal_, reward_, fifth_, age_, lag_, alignment_, scenario_;
};

// Of one run; zero runs if it has no trace.
FilterCounts filter_counts(const study::Run& run);

// One for each cell with a trace, in the order of environments. Reads every trace once.
std::vector<FilterCounts> filter_counts(const Analysis& analysis);

}  // namespace tarl::report
