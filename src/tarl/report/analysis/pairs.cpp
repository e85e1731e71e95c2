// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "tarl/report/analysis/analysis.h"
#include "tarl/statistics/hypothesis_tests.h"
#include "tarl/statistics/power.h"

namespace tarl::report {

namespace {

using statistics::TaskScores;

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

std::vector<double> differences(const std::vector<double>& base,
                                const std::vector<double>& compared) {
  std::vector<double> out;
  for (std::size_t i = 0; i < base.size(); ++i) out.push_back(compared[i] - base[i]);
  return out;
}

// nAUC of the seeds that both algorithms have, in the same order.
void match_seeds(const Cell& base, const Cell& compared, EnvironmentPair& out) {
  if (!base.counts() || !compared.counts()) return;
  std::map<std::int64_t, double> nauc_of;
  for (std::size_t i = 0; i < compared.seeds.size(); ++i) {
    nauc_of.emplace(compared.seeds[i], compared.measures[kNauc].by_seed[i]);
  }
  for (std::size_t i = 0; i < base.seeds.size(); ++i) {
    const auto found = nauc_of.find(base.seeds[i]);
    if (found == nauc_of.end()) continue;
    out.base.push_back(base.measures[kNauc].by_seed[i]);
    out.compared.push_back(found->second);
  }
}

EnvironmentPair compare_environment(const Cell& base, const Cell& compared, const Rng& rng,
                                    const statistics::BootstrapOptions& options) {
  EnvironmentPair out;
  match_seeds(base, compared, out);
  const std::vector<double> change = differences(out.base, out.compared);
  out.difference = statistics::mean(change);
  out.ci =
      statistics::bootstrap_interval({change}, statistics::aggregate_mean, rng.fork("ci"), options);
  const double before = statistics::mean(out.base);
  out.gain_percent =
      before == 0 ? kNaN : statistics::gain_percent(before, statistics::mean(out.compared), before);
  out.permutation_p = change.size() < 2 ? kNaN : statistics::permutation_p(change, rng.fork("p"));
  out.welch_p = statistics::welch_p(out.compared, out.base);
  out.wins = static_cast<std::size_t>(
      std::count_if(change.begin(), change.end(), [](double d) { return d > 0; }));
  out.ties = static_cast<std::size_t>(std::count(change.begin(), change.end(), 0.0));
  const double spread = statistics::sample_sd(change);
  out.effect = spread > 0 ? out.difference / spread : kNaN;
  out.seeds_needed = statistics::seeds_needed(out.effect);
  return out;
}

// Over the environments of a pair.
void adjust_for_many_tests(std::vector<EnvironmentPair>& environments) {
  std::vector<double> permutation, welch;
  for (const EnvironmentPair& e : environments) {
    permutation.push_back(e.permutation_p);
    welch.push_back(e.welch_p);
  }
  permutation = statistics::holm(permutation);
  welch = statistics::holm(welch);
  for (std::size_t i = 0; i < environments.size(); ++i) {
    environments[i].permutation_holm = permutation[i];
    environments[i].welch_holm = welch[i];
  }
}

double ratio_of_means(const TaskScores& base, const TaskScores& compared) {
  const double before = statistics::aggregate_mean(base);
  return before == 0
             ? kNaN
             : statistics::gain_percent(before, statistics::aggregate_mean(compared), before);
}

void summarise_pair(Pair& pair, const Rng& rng, const statistics::BootstrapOptions& options) {
  TaskScores base, compared, change;
  std::vector<double> base_means, compared_means, pooled;
  pair.fewest_seeds = pair.environments.empty() ? 0 : pair.environments.front().base.size();
  for (const EnvironmentPair& e : pair.environments) {
    base.push_back(e.base);
    compared.push_back(e.compared);
    change.push_back(differences(e.base, e.compared));
    pooled.insert(pooled.end(), change.back().begin(), change.back().end());
    base_means.push_back(statistics::mean(e.base));
    compared_means.push_back(statistics::mean(e.compared));
    pair.environment_wins += e.difference > 0 ? 1 : 0;
    pair.seed_wins += e.wins;
    pair.seed_count += e.base.size();
    pair.fewest_seeds = std::min(pair.fewest_seeds, e.base.size());
  }
  pair.base_mean = statistics::mean(base_means);
  pair.compared_mean = statistics::mean(compared_means);
  pair.gains = statistics::gains(base_means, compared_means);
  pair.difference = {statistics::aggregate_mean(change),
                     statistics::bootstrap_interval(change, statistics::aggregate_mean,
                                                    rng.fork("difference"), options)};
  pair.improvement = {
      statistics::probability_of_improvement(compared, base),
      statistics::bootstrap_interval(compared, base, statistics::probability_of_improvement,
                                     rng.fork("improvement"), options)};
  pair.ratio_ci = statistics::bootstrap_paired_interval(base, compared, ratio_of_means,
                                                        rng.fork("ratio"), options);
  pair.pooled_p = pooled.size() < 2 ? kNaN : statistics::permutation_p(pooled, rng.fork("pooled"));
  const double spread = statistics::sample_sd(pooled);
  const auto pairs =
      statistics::seeds_needed(spread > 0 ? statistics::mean(pooled) / spread : kNaN);
  if (pairs) {
    const double per_environment = *pairs / static_cast<double>(pair.environments.size());
    pair.seeds_needed = static_cast<int>(std::ceil(per_environment));
  }
}

// Both must agree: the interval of the mean difference, and the sign-flip test over all seeds.
Verdict judge(const Pair& pair) {
  if (pair.fewest_seeds < 2) return Verdict::kCannotTell;
  const bool shown = pair.difference.ci.excludes(0) && pair.pooled_holm < statistics::kAlpha;
  if (!shown) return Verdict::kNotShown;
  return pair.difference.value > 0 ? Verdict::kBetter : Verdict::kWorse;
}

// Splits the pairs into families, and corrects the pooled p of each over its members.
void adjust_families(std::vector<Pair>& pairs) {
  const bool aligned = std::any_of(pairs.begin(), pairs.end(), [](const Pair& pair) {
    return pair.kind == PairKind::kAlignment;
  });
  for (Pair& pair : pairs) {
    const bool primary = !aligned || pair.kind == PairKind::kAlignment;
    pair.family = primary ? Family::kPrimary : Family::kSecondary;
  }
  for (const Family family : {Family::kPrimary, Family::kSecondary}) {
    std::vector<Pair*> members;
    std::vector<double> p;
    for (Pair& pair : pairs) {
      if (pair.family != family) continue;
      members.push_back(&pair);
      p.push_back(pair.pooled_p);
    }
    p = statistics::holm(p);
    for (std::size_t i = 0; i < members.size(); ++i) members[i]->pooled_holm = p[i];
  }
}

bool has_learned(const Analysis& analysis, std::size_t algorithm) {
  return std::any_of(analysis.environments.begin(), analysis.environments.end(),
                     [&](const EnvironmentAnalysis& environment) {
                       return environment.cells[algorithm].counts();
                     });
}

// What is compared with what: aligned agents with their references and controls, and whatever else
// the study asks for; if there is none of that, every algorithm with the first one that has
// learned.
std::vector<Pair> planned_pairs(const Analysis& analysis) {
  std::vector<Pair> pairs;
  const auto add = [&](std::size_t base, std::size_t compared, PairKind kind) {
    pairs.emplace_back();
    pairs.back().base = base;
    pairs.back().compared = compared;
    pairs.back().kind = kind;
  };
  const auto& algorithms = analysis.results->algorithms;
  for (std::size_t a = 0; a < algorithms.size(); ++a) {
    for (const std::size_t control : algorithms[a].controls) add(control, a, PairKind::kControl);
    for (const std::size_t version : algorithms[a].versions) add(version, a, PairKind::kVersion);
    if (!algorithms[a].reference) continue;
    add(*algorithms[a].reference, a,
        algorithms[a].aligned() ? PairKind::kAlignment : PairKind::kOther);
  }
  if (pairs.empty()) {
    std::size_t first = 0;
    while (first < algorithms.size() && !has_learned(analysis, first)) ++first;
    for (std::size_t a = first + 1; a < algorithms.size(); ++a) add(first, a, PairKind::kOther);
  }
  std::stable_sort(pairs.begin(), pairs.end(),
                   [](const Pair& a, const Pair& b) { return a.kind < b.kind; });
  return pairs;
}

}  // namespace

void compare_pairs(Analysis& analysis, const statistics::BootstrapOptions& options) {
  for (Pair& pair : planned_pairs(analysis)) {
    const Rng rng =
        seeded(0).fork("pairs").fork(analysis.label(pair.base)).fork(analysis.label(pair.compared));
    for (std::size_t env = 0; env < analysis.environments.size(); ++env) {
      const EnvironmentAnalysis& environment = analysis.environments[env];
      if (!environment.bounds.usable()) continue;
      EnvironmentPair compared =
          compare_environment(environment.cells[pair.base], environment.cells[pair.compared],
                              rng.fork(environment.name), options);
      compared.environment = env;
      if (!compared.base.empty()) pair.environments.push_back(std::move(compared));
    }
    if (pair.environments.empty()) continue;
    adjust_for_many_tests(pair.environments);
    summarise_pair(pair, rng, options);
    analysis.pairs.push_back(std::move(pair));
  }
  adjust_families(analysis.pairs);
  for (Pair& pair : analysis.pairs) pair.verdict = judge(pair);
}

}  // namespace tarl::report
