// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "tarl/report/analysis/analysis.h"
#include "tarl/report/figures/figure.h"

namespace tarl::report {

// What every figure needs: the numbers, the algorithms shown, and their colours.
struct Scene {
  const Analysis* analysis = nullptr;
  std::vector<std::size_t> algorithms;  // with runs, in order
  std::vector<std::string> styles;      // by algorithm

  const Analysis& numbers() const { return *analysis; }

  std::vector<LegendEntry> legend() const { return legend(algorithms); }

  std::vector<LegendEntry> legend(const std::vector<std::size_t>& of) const;
};

// The next condition's colour: any two of the first six are distinguishable for every reader, as
// are neighbours among the rest. References are also dashed, for print.
std::string condition_style(std::size_t at, bool reference);

// Every condition has its own colour; only the two of a single pair share one. If all aligned
// agents have the same reference, it is grey. Doubled batches are grey dots.
Scene make_scene(const Analysis& analysis);

// At most this many lines share a panel of learning curves; other panels with more have no bands.
inline constexpr std::size_t kMostLines = 4;

// Algorithms that share a panel of learning curves: all of them, or, if there are more than
// kMostLines, a reference and those compared with it.
std::vector<std::vector<std::size_t>> facets(const Scene& scene);

// Pointwise intervals of curves need fewer resamples than the numbers of a table.
inline constexpr statistics::BootstrapOptions kBandBootstrap{.resamples = 1000, .level = 0.95};

// Learning curves of one environment, for one facet.
struct CurvePanel {
  std::size_t environment = 0;
  std::vector<std::size_t> algorithms;
  std::string title;
};

std::vector<CurvePanel> curve_panels(const Scene& scene);

// The captions of the learning curves: what is shown, by the value of the page's buttons, and what
// applies to all of them. The static figure shows "median" and "10".
struct CurveCaptions {
  std::vector<std::pair<std::string, std::string>> band, smooth;
  std::string always;
};

CurveCaptions curve_captions(const Scene& scene);

// Median over seeds of one cell after smoothing, with the interquartile range as band.
Series median_series(const Scene& scene, std::size_t environment, std::size_t algorithm, bool band);

// Learning curves, one panel per environment; the page's script redraws them.
Figure curves_figure(const Scene& scene);
// Sample efficiency (IQM of normalised scores against the share of training) and the performance
// profile of final scores.
Figure overall_figure(const Scene& scene);
Figure aggregates_figure(const Scene& scene);
Figure improvement_figure(const Scene& scene);
// The per-seed values behind the verdict's pairs; no panels if pairs have a single seed.
Figure seeds_figure(const Scene& scene);
// nAUC against every setting that has three or more values among the conditions.
std::vector<Figure> sweep_figures(const Scene& scene);

// Figure 1 of the paper: the four scenarios, and the score as a function of the ratio of errors.
Figure scenarios_figure();

// The paper's figures in its order (without figure 1): those that the study covers, or, without a
// study, all that can be drawn. A covered one that cannot be drawn becomes a problem.
std::vector<Figure> paper_figures(const Scene& scene, std::vector<study::Problem>& problems);

// Alignment over training; empty if no run logged it.
std::vector<Figure> alignment_figures(const Scene& scene);
// A column of progress.csv averaged over the seeds of a cell, against environment steps.
Series progress_series(const Scene& scene, std::size_t environment, std::size_t algorithm,
                       const std::string& column);

// Wall-clock time of each algorithm by environment; no panels if the run.json files lack it.
Figure cost_figure(const Scene& scene, const std::vector<std::size_t>& algorithms,
                   const std::vector<std::size_t>& environments);

}  // namespace tarl::report
