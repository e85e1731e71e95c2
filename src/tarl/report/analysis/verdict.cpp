// SPDX-License-Identifier: MIT
#include "tarl/report/analysis/verdict.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "tarl/report/text.h"
#include "tarl/statistics/power.h"

namespace tarl::report {

namespace {

constexpr std::array<const char*, 4> kVerdictWords{"better", "worse", "not shown", "cannot tell"};

// The mean difference with each environment left out in turn.
struct LeaveOneOut {
  double low, high;
  std::size_t heaviest;  // index whose removal brings the difference closest to, or across, 0
};

LeaveOneOut leave_one_out(const Pair& pair) {
  std::vector<double> without;
  for (std::size_t out = 0; out < pair.environments.size(); ++out) {
    std::vector<double> rest;
    for (std::size_t i = 0; i < pair.environments.size(); ++i) {
      if (i != out) rest.push_back(pair.environments[i].difference);
    }
    without.push_back(statistics::mean(rest));
  }
  const auto [low, high] = std::minmax_element(without.begin(), without.end());
  const auto heaviest = pair.difference.value > 0 ? low : high;
  return {*low, *high, static_cast<std::size_t>(heaviest - without.begin())};
}

std::string change_of_shown(const Analysis& analysis, const Pair& pair) {
  if (pair.environments.size() < 2) {
    return "Other environments: this is one game, and says nothing about the next.";
  }
  const LeaveOneOut rest = leave_one_out(pair);
  const std::size_t env = pair.environments[rest.heaviest].environment;
  const std::string& name = analysis.environments[env].title;
  const double without = pair.difference.value > 0 ? rest.low : rest.high;
  if (without * pair.difference.value <= 0) {
    return concat(
        {"It rests on ", name, ": without it the difference is ", signed_fixed(without, 3), "."});
  }
  return concat({"No single environment: leaving any one out, the difference stays between ",
                 signed_fixed(rest.low, 3), " and ", signed_fixed(rest.high, 3), " (least without ",
                 name, ")."});
}

std::string change_of_not_shown(const Pair& pair) {
  const auto now = static_cast<int>(pair.fewest_seeds);
  if (!pair.seeds_needed) {
    return "Against the spread between seeds the difference is so small that a thousand pairs "
           "would not show it.";
  }
  const std::string needed = std::to_string(std::max(*pair.seeds_needed, now + 1));
  return concat({"More seeds: if the true difference is the observed one, about ", needed,
                 " per environment (now ", std::to_string(now),
                 ") would show it with 80 % power in the test over all environments."});
}

// Algorithms with runs in only some environments; the first few of many.
std::string partial_note(const Analysis& analysis) {
  constexpr std::size_t kNamed = 4;
  std::string names;
  std::size_t count = 0;
  for (std::size_t a = 0; a < analysis.results->algorithms.size(); ++a) {
    if (!is_partial(analysis, a) || ++count > kNamed) continue;
    names += concat({count > 1 ? "; " : "", analysis.label(a), " in ",
                     std::to_string(analysis.nauc[a].environments)});
  }
  if (count == 0) return "";
  if (count > kNamed) names += concat({" and ", std::to_string(count - kNamed), " more"});
  return concat({"Not every algorithm has runs in all ",
                 std::to_string(analysis.scored_environments), " environments (", names,
                 "): only averages over the same environments can be compared."});
}

}  // namespace

std::string verdict_rule(const Analysis& analysis) {
  return concat(
      {"Better or worse means: the 95 % bootstrap interval of the mean paired difference in nAUC "
       "leaves out 0, and the sign-flip test over all paired seeds gives p < 0.05 after Holm's "
       "correction. Anything else is not shown, which is not the same as no difference. ",
       family_note(analysis)});
}

const char* family_name(Family family) {
  return family == Family::kPrimary ? "primary" : "secondary";
}

std::string family_note(const Analysis& analysis) {
  const std::size_t all = analysis.pairs.size(), primary = verdict_pairs(analysis).size();
  if (all == 0) return "";
  if (primary == all) {
    return concat({"Holm's family: the ", plural(all, "comparison"), " of this report."});
  }
  return concat({"Holm's primary family: the ", plural(primary, "comparison"),
                 " of aligned agents with their baselines; secondary family: the other ",
                 std::to_string(all - primary), "."});
}

const char* verdict_word(Verdict verdict) {
  return kVerdictWords[static_cast<std::size_t>(verdict)];
}

std::vector<const Pair*> verdict_pairs(const Analysis& analysis) {
  std::vector<const Pair*> chosen;
  for (const Pair& pair : analysis.pairs) {
    if (pair.family == Family::kPrimary) chosen.push_back(&pair);
  }
  return chosen;
}

std::string question(const Analysis& analysis) {
  if (!analysis.results->question.empty()) return analysis.results->question;
  const std::size_t count = analysis.environments.size();
  const bool aligned = std::any_of(analysis.pairs.begin(), analysis.pairs.end(),
                                   [](const Pair& p) { return p.kind == PairKind::kAlignment; });
  return concat({aligned ? "Does target alignment help" : "Which algorithm learns best", " on ",
                 count == 1 ? analysis.environments[0].title : plural(count, "environment"), "?"});
}

std::string headline(const Analysis& analysis) {
  const std::vector<const Pair*> pairs = verdict_pairs(analysis);
  if (pairs.empty())
    return "Nothing to compare yet: no two algorithms share an environment and a seed.";
  std::array<std::size_t, 4> counts{};
  for (const Pair* pair : pairs) ++counts[static_cast<std::size_t>(pair->verdict)];
  const bool aligned = pairs.front()->kind == PairKind::kAlignment;
  std::string text;
  for (const Verdict verdict :
       {Verdict::kBetter, Verdict::kWorse, Verdict::kNotShown, Verdict::kCannotTell}) {
    const std::size_t count = counts[static_cast<std::size_t>(verdict)];
    if (count == 0) continue;
    text += concat({text.empty() ? "" : ", ", verdict_word(verdict), " in ", std::to_string(count),
                    text.empty() ? concat({" of ", plural(pairs.size(), "comparison")}) : ""});
  }
  return concat(
      {aligned ? "Aligned agents against their baselines: " : "Against the baseline: ", text, "."});
}

std::string seeds_text(const Analysis& analysis) {
  const std::string most = plural(analysis.most_seeds, "seed");
  return analysis.fewest_seeds == analysis.most_seeds
             ? most
             : concat({std::to_string(analysis.fewest_seeds), " to ", most});
}

std::size_t compared_seeds(const Analysis& analysis) {
  const std::vector<const Pair*> pairs = verdict_pairs(analysis);
  if (pairs.empty()) return analysis.fewest_seeds;
  const auto fewest = std::min_element(
      pairs.begin(), pairs.end(),
      [](const Pair* a, const Pair* b) { return a->fewest_seeds < b->fewest_seeds; });
  return (*fewest)->fewest_seeds;
}

std::string seeds_note(const Analysis& analysis) {
  return statistics::what_seeds_can_show(static_cast<int>(compared_seeds(analysis)));
}

std::string left_out_note(const Analysis& analysis) {
  std::string names;
  for (const EnvironmentAnalysis& environment : analysis.environments) {
    if (environment.bounds.usable()) continue;
    names += concat({names.empty() ? "" : ", ", environment.title});
  }
  if (names.empty()) return "";
  return concat(
      {"Left out of comparisons and aggregates, because no evaluation beat the random "
       "baseline there: ",
       names, "."});
}

std::string intervals_text(const Analysis& analysis) {
  return concat({"95 % percentile bootstrap intervals over seeds (",
                 std::to_string(analysis.resamples), " draws)"});
}

std::vector<std::string> comparability_notes(const Analysis& analysis) {
  std::vector<std::string> notes;
  for (const EnvironmentAnalysis& environment : analysis.environments) {
    if (!environment.sharing.empty()) {
      notes.push_back(concat({environment.title, ": ", environment.sharing, "."}));
    }
  }
  for (const EnvironmentAnalysis& environment : analysis.environments) {
    if (environment.first_trained == 0) continue;
    const std::size_t last = environment.first_trained - 1;
    notes.push_back(concat({environment.title, ": evaluations up to step ",
                            short_count(environment.timesteps[last]),
                            " come before any run has learned; they are drawn (shaded) and enter "
                            "no score."}));
  }
  const std::string partial = partial_note(analysis);
  if (!partial.empty()) notes.push_back(partial);
  std::string untrained;
  for (std::size_t a = 0; a < analysis.results->algorithms.size(); ++a) {
    for (const EnvironmentAnalysis& environment : analysis.environments) {
      if (!environment.cells[a].untrained) continue;
      untrained +=
          concat({untrained.empty() ? "" : ", ", analysis.label(a), " on ", environment.title});
    }
  }
  if (!untrained.empty()) {
    notes.push_back(
        concat({"Without a single update, marked and in no comparison: ", untrained, "."}));
  }
  return notes;
}

std::string what_would_change(const Analysis& analysis, const Pair& pair) {
  const bool identical =
      std::all_of(pair.environments.begin(), pair.environments.end(),
                  [](const EnvironmentPair& e) { return e.ties == e.base.size(); });
  if (identical) {
    const bool aligned = pair.kind == PairKind::kAlignment;
    return concat({"Longer runs, perhaps: every pair of runs scored exactly the same",
                   aligned ? ", so that alignment changed nothing here." : "."});
  }
  switch (pair.verdict) {
    case Verdict::kCannotTell:
      return "More seeds: with one there is no measure of chance. Six are the fewest with which a "
             "single environment can reach p < 0.05.";
    case Verdict::kNotShown:
      return change_of_not_shown(pair);
    default:
      return change_of_shown(analysis, pair);
  }
}

}  // namespace tarl::report
