// SPDX-License-Identifier: MIT
#include "tarl/report/analysis/filter.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "tarl/align/align.h"
#include "tarl/core/formats/number.h"
#include "tarl/core/is_there.h"
#include "tarl/report/text.h"
#include "tarl/store/run_files.h"

namespace tarl::report {

namespace {

using store::Trace;

constexpr std::size_t kMostRewards = 6;  // that are listed individually
constexpr std::array kFifths = {"lowest fifth", "second", "third", "fourth", "highest fifth"};
constexpr std::size_t kTenths = 10;
constexpr std::int64_t kLagKinds = 8;
constexpr std::array<std::int64_t, 9> kAges = {100,    300,     1'000,   3'000,    10'000,
                                               30'000, 100'000, 300'000, 1'000'000};
constexpr std::array kScenarios = {"I perfect", "II undershoot", "III overshoot", "IV misaligned"};

KeptCount count_of(bool kept, double alignment) {
  return {1, kept ? 1 : 0, alignment, kept ? alignment : 0};
}

void add_to(KeptCount& to, const KeptCount& more) {
  to.candidates += more.candidates;
  to.kept += more.kept;
  to.alignment += more.alignment;
  to.kept_alignment += more.kept_alignment;
}

double alignment_of(const Trace& trace, std::size_t row) {
  return trace.paper_score.empty() ? trace.score[row] : trace.paper_score[row];
}

template <class Counts, class Name>
KeptBy named(const std::string& property, const Counts& counts, Name name) {
  KeptBy by{property, {}};
  for (const auto& [key, count] : counts) by.kinds.push_back({name(key), key, count});
  return by;
}

std::string range_name(std::int64_t low, std::int64_t high) {
  if (low == high) return std::to_string(low);
  return concat({std::to_string(low), " to ", std::to_string(high)});
}

std::string age_name(double key) {
  const auto at = static_cast<std::size_t>(key);
  if (at == 0) return concat({"under ", std::to_string(kAges[0])});
  if (at == kAges.size()) return concat({std::to_string(kAges.back()), " and more"});
  return range_name(kAges[at - 1], kAges[at] - 1);
}

std::string alignment_name(double key) {
  if (key == kTenths) return "1";
  return concat({fixed(key / kTenths, 1), " to ", fixed((key + 1) / kTenths, 1)});
}

double alignment_kind(double score) {
  if (score >= 1) return kTenths;
  return score > 0 ? std::floor(score * kTenths) : 0;
}

}  // namespace

void FilterCounter::add(const Trace& trace) {
  ++runs_;
  updates_ += static_cast<std::int64_t>(trace.updates());
  for (std::size_t row = 0; row < trace.kept.size(); ++row) add_row(trace, row);
  add_fifths(trace);
}

void FilterCounter::add_row(const Trace& trace, std::size_t row) {
  const double alignment = alignment_of(trace, row);
  const KeptCount one = count_of(trace.kept[row] != 0, alignment);
  const auto candidates = static_cast<std::size_t>(trace.shape.candidates);
  const auto above = std::upper_bound(kAges.begin(), kAges.end(), trace.age[row]);
  add_to(all_, one);
  add_to(terminal_[trace.terminal[row] != 0 ? 1 : 0], one);
  add_to(age_[static_cast<double>(above - kAges.begin())], one);
  add_to(lag_[static_cast<double>(trace.lag[row / candidates])], one);
  add_to(alignment_[alignment_kind(alignment)], one);
  add_to(scenario_[std::min<double>(trace.scenario[row], kScenarios.size() - 1)], one);
  if (many_rewards_) return;
  add_to(reward_[double{trace.reward[row]}], one);
  many_rewards_ = reward_.size() > kMostRewards;
}

// Quintiles of the run's own rewards, so that runs need no common bounds.
void FilterCounter::add_fifths(const Trace& trace) {
  if (trace.reward.empty()) return;
  std::vector<float> rewards = trace.reward;
  std::sort(rewards.begin(), rewards.end());
  std::array<float, kFifths.size() - 1> bounds{};
  for (std::size_t i = 0; i < bounds.size(); ++i) {
    bounds[i] = rewards[(i + 1) * rewards.size() / kFifths.size()];
  }
  for (std::size_t row = 0; row < trace.reward.size(); ++row) {
    const auto fifth = std::upper_bound(bounds.begin(), bounds.end(), trace.reward[row]);
    add_to(fifth_[static_cast<double>(fifth - bounds.begin())],
           count_of(trace.kept[row] != 0, alignment_of(trace, row)));
  }
}

KeptBy FilterCounter::rewards() const {
  if (!many_rewards_) {
    return named("reward", reward_, [](double key) { return format_number(key); });
  }
  return named("reward", fifth_, [](double key) { return kFifths[static_cast<std::size_t>(key)]; });
}

KeptBy FilterCounter::lags() const {
  const auto longest = static_cast<std::int64_t>(lag_.rbegin()->first);
  const std::int64_t width = std::max<std::int64_t>((longest + kLagKinds - 1) / kLagKinds, 1);
  Counts merged;
  for (const auto& [lag, part] : lag_) {
    const std::int64_t kind = (static_cast<std::int64_t>(lag) - 1) / width;
    add_to(merged[static_cast<double>(kind)], part);
  }
  KeptBy by = named("updates since the target sync", merged, [&](double key) {
    const auto at = static_cast<std::int64_t>(key);
    return range_name(at * width + 1, (at + 1) * width);
  });
  for (KeptKind& kind : by.kinds) {
    kind.place = (kind.place + 0.5) * static_cast<double>(width);
  }
  by.of_updates = true;
  return by;
}

FilterCounts FilterCounter::counts(bool hard) const {
  FilterCounts out;
  out.runs = runs_;
  out.updates = updates_;
  out.all = all_;
  out.damage = damage_;
  if (all_.candidates == 0) return out;
  out.by = {named("terminal", terminal_,
                  [](double key) { return key != 0 ? kTerminalKind : "not terminal"; }),
            rewards(), named("age in environment steps", age_, age_name)};
  if (hard) out.by.push_back(lags());
  out.by.push_back(named("alignment", alignment_, alignment_name));
  out.by.push_back(named("scenario", scenario_,
                         [](double key) { return kScenarios[static_cast<std::size_t>(key)]; }));
  return out;
}

void FilterCounter::add(const study::Run& run) {
  const fs::path file = run.place / store::kTraceFile;
  if (!is_there(file)) return;
  hard_ = hard_ && run.number("tau", 1) == 1;
  try {
    add(store::read_trace(file));
  } catch (const std::exception& problem) {
    damage_.push_back(problem.what());
  }
}

FilterCounts filter_counts(const study::Run& run) {
  FilterCounter counter;
  counter.add(run);
  return counter.counts();
}

std::vector<FilterCounts> filter_counts(const Analysis& analysis) {
  const study::Results& results = *analysis.results;
  std::vector<FilterCounts> all;
  for (std::size_t env = 0; env < analysis.environments.size(); ++env) {
    for (std::size_t a = 0; a < results.algorithms.size(); ++a) {
      FilterCounter counter;
      for (const std::size_t at : results.cell(env, a)) counter.add(results.runs[at]);
      FilterCounts counts = counter.counts();
      if (counts.runs == 0 && counts.damage.empty()) continue;
      counts.environment = env;
      counts.algorithm = a;
      all.push_back(std::move(counts));
    }
  }
  return all;
}

}  // namespace tarl::report
