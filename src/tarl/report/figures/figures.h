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

// The next condition's colour: any two of the first six can be told apart by every reader, as can
// neighbours among the rest. Baselines are dashed besides, for print.
std::string condition_style(std::size_t at, bool baseline);

// Every condition has a colour of its own; only the two of a single pair share theirs. Where all
// aligned agents have one baseline, that is grey. Doubled batches are grey dots.
Scene make_scene(const Analysis& analysis);

// More lines than this share no panel of learning curves, and have no bands in other ones.
inline constexpr std::size_t kMostLines = 4;

// Algorithms that share a panel of learning curves: all of them, or, where there are more than
// kMostLines, a baseline and those compared with it.
std::vector<std::vector<std::size_t>> facets(const Scene& scene);

// Pointwise intervals of curves, which need fewer draws than the numbers of a table.
inline constexpr statistics::BootstrapOptions kBandBootstrap{.resamples = 1000, .level = 0.95};

// Learning curves of one environment, for one facet.
struct CurvePanel {
  std::size_t environment = 0;
  std::vector<std::size_t> algorithms;
  std::string title;
};

std::vector<CurvePanel> curve_panels(const Scene& scene);

// The words under the learning curves: what is shown, by the value of the page's buttons, and what
// holds for all of them. The static figure shows "median" and "10".
struct CurveCaptions {
  std::vector<std::pair<std::string, std::string>> band, smooth;
  std::string always;
};

CurveCaptions curve_captions(const Scene& scene);

// Median over seeds of one cell after smoothing, with the interquartile range as band.
Series median_series(const Scene& scene, std::size_t environment, std::size_t algorithm, bool band);

// Learning curves, one panel an environment; the page's script redraws them.
Figure curves_figure(const Scene& scene);
// Sample efficiency (IQM of normalised scores against the share of training) and the performance
// profile of final scores.
Figure overall_figure(const Scene& scene);
Figure aggregates_figure(const Scene& scene);
Figure improvement_figure(const Scene& scene);
// What the pairs of the verdict are made of; no panels where pairs have a single seed.
Figure seeds_figure(const Scene& scene);
// nAUC against every setting that the conditions vary in three steps or more.
std::vector<Figure> sweep_figures(const Scene& scene);

// Figure 1 of the paper: the four scenarios, and the score as a function of the errors' ratio.
Figure scenarios_figure();

// The paper's figures in its order (without figure 1): those that the study covers, or, without a
// study, all that can be drawn. A covered one that cannot be drawn becomes a problem.
std::vector<Figure> paper_figures(const Scene& scene, std::vector<study::Problem>& problems);

// Alignment over training; nothing when no run logged it.
std::vector<Figure> alignment_figures(const Scene& scene);
// A column of progress.csv averaged over the seeds of a cell, against environment steps.
Series progress_series(const Scene& scene, std::size_t environment, std::size_t algorithm,
                       const std::string& column);

// Wall-clock of each algorithm by environment; no panels when run.json files do not say.
Figure cost_figure(const Scene& scene, const std::vector<std::size_t>& algorithms,
                   const std::vector<std::size_t>& environments);

}  // namespace tarl::report
