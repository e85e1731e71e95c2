// SPDX-License-Identifier: MIT
#include "tarl/fleet/hosted/choice_figures.h"

#include "tarl/core/error.h"

namespace tarl::fleet {

void refuse_bad_rows(const ChoiceFigures& figures, std::int64_t update, int candidates) {
  const int bad = figures.bad_errors > 0 ? figures.bad_errors : figures.bad_scores;
  if (bad == 0) return;
  throw NonFiniteError("update " + std::to_string(update) + ": " + std::to_string(bad) + " of " +
                       std::to_string(candidates) +
                       " sampled transitions have an error that is not finite");
}

void add_choice(const ChoiceFigures& figures, int candidates, int kept, double target_lag,
                train::Means& means) {
  using rl::Metric;
  const double rows = candidates, kept_rows = kept;
  means.add(Metric::kAlignmentMean, figures.alignment);
  means.add(Metric::kAlignmentMin, figures.least_alignment);
  means.add(Metric::kAlignmentMeanAll, figures.alignment_of_all);
  means.add(Metric::kAlignmentMinAll, figures.least_alignment_of_all);
  for (int i = 0; i < align::kScenarioCount; ++i) {
    means.add(static_cast<Metric>(rl::index_of(Metric::kScenarioPerfect) + i),
              figures.scenario[i] / rows);
  }
  means.add(Metric::kDiscardedShare, 1.0 - kept_rows / rows);
  means.add(Metric::kNonfiniteCount, figures.bad_scores);
  means.add(Metric::kTerminalShare, figures.terminals / kept_rows);
  means.add(Metric::kTerminalShareAll, figures.terminals_of_all / rows);
  means.add(Metric::kTargetLag, target_lag);
}

}  // namespace tarl::fleet
