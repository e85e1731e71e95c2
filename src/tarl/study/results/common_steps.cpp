// SPDX-License-Identifier: MIT
#include "tarl/study/results/common_steps.h"

#include <algorithm>
#include <set>

namespace tarl::study {

namespace {

using Steps = std::vector<std::int64_t>;

// The part of a run's steps from `first` to `last`.
Steps between(const Run& run, std::int64_t first, std::int64_t last) {
  Steps steps;
  std::copy_if(run.timesteps.begin(), run.timesteps.end(), std::back_inserter(steps),
               [&](std::int64_t step) { return step >= first && step <= last; });
  return steps;
}

bool ends_before(const Run* a, const Run* b) {
  return a->timesteps.back() < b->timesteps.back();
}

}  // namespace

CommonSteps common_steps(std::span<const Run* const> runs) {
  CommonSteps common;
  std::vector<const Run*> counted;
  for (const Run* run : runs) {
    if (run->trained()) counted.push_back(run);
  }
  if (counted.empty()) counted.assign(runs.begin(), runs.end());
  std::erase_if(counted, [](const Run* run) { return run->timesteps.empty(); });
  if (counted.empty()) return common;
  const auto position = [&](const Run* run) {
    return static_cast<std::size_t>(std::find(runs.begin(), runs.end(), run) - runs.begin());
  };
  const Run* longest = *std::max_element(counted.begin(), counted.end(), ends_before);
  common.longest = longest->timesteps.back();
  std::set<Steps> grids;
  for (const Run* run : counted) grids.insert(run->timesteps);
  common.grids = grids.size();
  while (common.timesteps.empty()) {
    const auto shortest = std::min_element(counted.begin(), counted.end(), ends_before);
    const std::int64_t last = (*shortest)->timesteps.back();
    std::int64_t first = 0;
    for (const Run* run : counted) first = std::max(first, run->timesteps.front());
    common.shortest = position(*shortest);
    std::size_t fewest = 0;
    for (const Run* run : counted) {
      Steps steps = between(*run, first, last);
      if (steps.empty() || (fewest != 0 && steps.size() >= fewest)) continue;
      fewest = steps.size();
      common.timesteps = std::move(steps);
    }
    if (!common.timesteps.empty()) break;
    common.left_out.push_back(common.shortest);
    counted.erase(shortest);
  }
  return common;
}

statistics::Curve scores_at(const Run& run, const std::vector<std::int64_t>& steps) {
  statistics::Curve curve;
  for (const std::int64_t step : steps) {
    const auto after = std::lower_bound(run.timesteps.begin(), run.timesteps.end(), step);
    if (after == run.timesteps.end()) break;
    const auto at = static_cast<std::size_t>(after - run.timesteps.begin());
    if (at == 0 || *after == step) {
      curve.push_back(run.mean_returns[at]);
      continue;
    }
    const auto from = static_cast<double>(run.timesteps[at - 1]), to = static_cast<double>(*after);
    const double share = (static_cast<double>(step) - from) / (to - from);
    curve.push_back(run.mean_returns[at - 1] +
                    share * (run.mean_returns[at] - run.mean_returns[at - 1]));
  }
  return curve;
}

}  // namespace tarl::study
