// SPDX-License-Identifier: MIT
#include "tarl/inspect/numbers.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <utility>

#include "tarl/statistics/descriptive.h"

namespace tarl::inspect {

namespace {

constexpr std::size_t kBands = 20;

using store::Trace;

const std::vector<double>& alignment(const Trace& trace) {
  return trace.paper_score.empty() ? trace.score : trace.paper_score;
}

Band band_of(double place, const std::vector<double>& scores) {
  return {place, static_cast<std::int64_t>(scores.size()), statistics::mean(scores),
          statistics::quantile(scores, 0.25), statistics::quantile(scores, 0.75)};
}

// Bands with equal numbers of candidates, placed at the median of their values; equal values are
// not split.
std::vector<Band> bands_by(const std::vector<double>& values, const std::vector<double>& scores) {
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return values[a] < values[b]; });
  std::vector<Band> bands;
  std::size_t begin = 0;
  for (std::size_t number = 1; number <= kBands; ++number) {
    std::size_t end = number * order.size() / kBands;
    if (end <= begin) continue;
    while (end < order.size() && values[order[end]] == values[order[end - 1]]) ++end;
    std::vector<double> here, its;
    for (std::size_t i = begin; i < end; ++i) {
      here.push_back(values[order[i]]);
      its.push_back(scores[order[i]]);
    }
    bands.push_back(band_of(statistics::quantile(here, 0.5), its));
    begin = end;
  }
  return bands;
}

std::vector<AgeOfTarget> ages_of_target(const Trace& trace) {
  struct Group {
    std::vector<double> all, kept;
    std::array<double, align::kScenarioCount> scenarios{};
  };

  std::map<std::int64_t, Group> groups;
  const auto candidates = static_cast<std::size_t>(trace.shape.candidates);
  for (std::size_t row = 0; row < trace.kept.size(); ++row) {
    Group& group = groups[trace.lag[row / candidates]];
    const double score = alignment(trace)[row];
    group.all.push_back(score);
    if (trace.kept[row] != 0) group.kept.push_back(score);
    group.scenarios[trace.scenario[row]] += 1;
  }
  std::vector<AgeOfTarget> ages;
  for (auto& [lag, group] : groups) {
    AgeOfTarget age{band_of(static_cast<double>(lag), group.all), statistics::mean(group.kept),
                    group.scenarios};
    for (double& share : age.scenarios) share /= static_cast<double>(group.all.size());
    ages.push_back(age);
  }
  return ages;
}

Json bands_json(const std::vector<Band>& bands, const char* place) {
  Json list = Json::array();
  for (const Band& band : bands) {
    list.push_back({{place, band.place},
                    {"candidates", band.candidates},
                    {"alignment", band.mean},
                    {"quartiles", {band.low, band.high}}});
  }
  return list;
}

Json kinds_json(const report::FilterCounts& counts) {
  Json all = Json::object();
  for (const report::KeptBy& by : counts.by) {
    Json kinds = Json::array();
    for (const report::KeptKind& kind : by.kinds) {
      kinds.push_back({{"kind", kind.name},
                       {"candidates", kind.count.candidates},
                       {"kept", kind.count.kept},
                       {"alignment", kind.count.mean_alignment()}});
    }
    all[by.property] = std::move(kinds);
  }
  return all;
}

Json lags_json(const std::vector<AgeOfTarget>& ages) {
  Json list = Json::array();
  for (const AgeOfTarget& age : ages) {
    list.push_back({{"lag", age.all.place},
                    {"candidates", age.all.candidates},
                    {"alignment", age.all.mean},
                    {"quartiles", {age.all.low, age.all.high}},
                    {"kept_alignment", age.kept},
                    {"scenarios", age.scenarios}});
  }
  return list;
}

}  // namespace

double offline_error(const Trace& trace, std::size_t row) {
  const auto candidates = static_cast<std::size_t>(trace.shape.candidates);
  const auto critics = static_cast<std::size_t>(trace.shape.critics);
  double sum = 0;
  for (std::size_t critic = 0; critic < critics; ++critic) {
    const std::size_t at = (row / candidates * critics + critic) * candidates + row % candidates;
    sum += std::fabs(double{trace.y_offline[at]} - double{trace.q[at]});
  }
  return sum / static_cast<double>(critics);
}

Numbers numbers_of(const Candidates& candidates) {
  const Trace& trace = candidates.draws;
  report::FilterCounter counter;
  counter.add(trace);
  std::vector<double> errors;
  for (std::size_t row = 0; row < trace.kept.size(); ++row) {
    errors.push_back(offline_error(trace, row));
  }
  const std::vector<double> ages(trace.age.begin(), trace.age.end());
  Numbers numbers{counter.counts(false),
                  bands_by(errors, alignment(trace)),
                  bands_by(ages, alignment(trace)),
                  {}};
  if (candidates.period) numbers.by_lag = ages_of_target(trace);
  if (numbers.by_lag.size() < 2) numbers.by_lag.clear();
  return numbers;
}

Json numbers_json(const Candidates& candidates, const Numbers& numbers) {
  const train::RunConfig& config = candidates.config;
  const report::KeptCount& all = numbers.counts.all;
  Json json = {{"algo", config.algo},
               {"env", config.env},
               {"step", candidates.step},
               {"updates", candidates.updates},
               {"trained_in_memory", candidates.trained},
               {"period", nullptr},
               {"draws", candidates.draws.updates()},
               {"candidates", all.candidates},
               {"kept", all.kept},
               {"alignment", all.mean_alignment()},
               {"kept_alignment", all.mean_kept_alignment()},
               {"kinds", kinds_json(numbers.counts)},
               {"offline_errors", bands_json(numbers.by_error, "error")},
               {"ages", bands_json(numbers.by_age, "age")},
               {"lags", lags_json(numbers.by_lag)}};
  if (candidates.period) json["period"] = *candidates.period;
  return json;
}

}  // namespace tarl::inspect
