// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "tarl/report/analysis/analysis.h"
#include "tarl/report/figures/figure.h"

namespace tarl::report {

// What every figure needs: the numbers, who is shown, and in which colours.
struct Scene {
  const Analysis* analysis = nullptr;
  std::vector<std::size_t> algorithms;  // with runs, in order
  std::vector<std::string> styles;      // by algorithm

  const Analysis& numbers() const { return *analysis; }

  std::vector<LegendEntry> legend() const { return legend(algorithms); }

  std::vector<LegendEntry> legend(const std::vector<std::size_t>& of) const;
};

// Aligned agents and their baseline share a colour, the baseline dashed. Where all aligned agents
// have one baseline, that is grey and each of them has a colour. Doubled batches are grey dots.
Scene make_scene(const Analysis& analysis);

// Makes a panel smaller where rows of four leave none over.
void fit_row(LinePanel& panel, std::size_t panels);

// Median over seeds of one cell after smoothing, with the interquartile range as band.
Series median_series(const Scene& scene, std::size_t environment, std::size_t algorithm, bool band);

// Learning curves, one panel an environment; the page's script redraws them.
Figure curves_figure(const Scene& scene);
// Sample efficiency (IQM of normalised scores against the share of training) and the performance
// profile of final scores.
Figure overall_figure(const Scene& scene);
Figure aggregates_figure(const Scene& scene);
Figure improvement_figure(const Scene& scene);

// Figure 1 of the paper: the four scenarios, and the score as a function of the errors' ratio.
Figure scenarios_figure();

// The paper's figures that this study's runs cover, in the paper's order (without figure 1).
std::vector<Figure> paper_figures(const Scene& scene);

// Alignment over training; nothing when no run logged it.
std::vector<Figure> alignment_figures(const Scene& scene);
// A column of progress.csv averaged over the seeds of a cell, against environment steps.
Series progress_series(const Scene& scene, std::size_t environment, std::size_t algorithm,
                       const std::string& column);

// Wall-clock of each algorithm by environment; no panels when run.json files do not say.
Figure cost_figure(const Scene& scene, const std::vector<std::size_t>& algorithms,
                   const std::vector<std::size_t>& environments);

}  // namespace tarl::report
