// SPDX-License-Identifier: MIT
#include <algorithm>
#include <map>

#include "tarl/report/analysis/verdict.h"
#include "tarl/report/figures/figures.h"
#include "tarl/report/figures/svg_parts.h"
#include "tarl/report/text.h"

namespace tarl::report {

namespace {

// What the pictures omit; tables, statistics and the files beside the page have everything.
std::string thinning_text(const Analysis& numbers) {
  std::size_t most = 0;
  for (const EnvironmentAnalysis& environment : numbers.environments) {
    most = std::max(most, environment.timesteps.size());
  }
  if (most <= kMostPoints) return "";
  const std::string drawn = std::to_string(kMostPoints);
  return concat(
      {" Of more than ", drawn, " evaluations, every figure draws ", drawn,
       " spread evenly over training, each at its exact value; tables and files use all."});
}

// A common range of returns, so that panels of one environment can be compared.
std::pair<double, double> shared_range(const Scene& scene, std::size_t env) {
  Extent extent;
  for (const std::size_t a : scene.algorithms) {
    if (scene.numbers().environments[env].cells[a].empty()) continue;
    const Series series = median_series(scene, env, a, true);
    for (const auto* values : {&series.y, &series.low, &series.high}) extent.add(*values);
  }
  const auto [low, high] = extent.range();
  const double pad = 0.05 * (high - low);
  return {low >= 0 && low < 0.35 * high ? 0 : low - pad, high + pad};
}

using Facet = std::vector<std::size_t>;

// A reference, then the conditions compared with it, as many as fit.
void add_facets(std::size_t reference, const Facet& compared, std::vector<Facet>& out) {
  Facet facet{reference};
  for (const std::size_t a : compared) {
    if (facet.size() == kMostLines) {
      out.push_back(std::move(facet));
      facet = {reference};
    }
    facet.push_back(a);
  }
  out.push_back(std::move(facet));
}

// Two names, or the first of many: the legend has them all.
std::string names_of(const Scene& scene, const Facet& facet) {
  const std::string& first = scene.numbers().label(facet.front());
  if (facet.size() == 1) return first;
  if (facet.size() > 2) return concat({first, " and others"});
  return concat({first, ", ", scene.numbers().label(facet.back())});
}

}  // namespace

std::vector<std::vector<std::size_t>> facets(const Scene& scene) {
  if (scene.algorithms.size() <= kMostLines) return {scene.algorithms};
  std::map<std::size_t, Facet> compared;  // by reference
  for (const std::size_t a : scene.algorithms) {
    const auto reference = scene.numbers().algorithm(a).reference;
    if (reference) compared[*reference].push_back(a);
  }
  std::vector<Facet> out;
  Facet alone;
  for (const std::size_t a : scene.algorithms) {
    if (compared.contains(a)) {
      add_facets(a, compared[a], out);
    } else if (!scene.numbers().algorithm(a).reference) {
      alone.push_back(a);
    }
  }
  for (std::size_t i = 0; i < alone.size(); i += kMostLines) {
    const auto begin = alone.begin() + static_cast<std::ptrdiff_t>(i);
    out.emplace_back(begin,
                     begin + static_cast<std::ptrdiff_t>(std::min(kMostLines, alone.size() - i)));
  }
  return out;
}

std::vector<CurvePanel> curve_panels(const Scene& scene) {
  std::vector<CurvePanel> panels;
  const std::vector<Facet> groups = facets(scene);
  for (std::size_t env = 0; env < scene.numbers().environments.size(); ++env) {
    const EnvironmentAnalysis& environment = scene.numbers().environments[env];
    for (const Facet& group : groups) {
      CurvePanel panel{env, {}, environment.title};
      for (const std::size_t a : group) {
        if (!environment.cells[a].empty()) panel.algorithms.push_back(a);
      }
      if (panel.algorithms.empty()) continue;
      if (groups.size() > 1) panel.title += concat({": ", names_of(scene, panel.algorithms)});
      panels.push_back(std::move(panel));
    }
  }
  return panels;
}

CurveCaptions curve_captions(const Scene& scene) {
  const Analysis& numbers = scene.numbers();
  const std::string seeds = seeds_text(numbers);
  CurveCaptions captions;
  if (numbers.most_seeds > 1) {
    captions.band = {
        {"median", concat({"Median over ", seeds,
                           "; the band is the interquartile range over "
                           "seeds."})},
        {"mean", concat({"Mean over ", seeds,
                         "; the band is its pointwise 95 % bootstrap interval over seeds (",
                         std::to_string(kBandBootstrap.resamples), " draws)."})},
        {"iqm", concat({"Interquartile mean over ", seeds, "; no band."})},
        {"range", concat({"Median over ", seeds,
                          "; the band reaches from the lowest to the highest seed."})},
        {"seeds", concat({"Every one of ", seeds, " (thin lines) and their median."})}};
  } else {
    for (const char* band : {"median", "mean", "iqm", "range", "seeds"}) {
      captions.band.emplace_back(band, "One seed: no bands.");
    }
  }
  captions.smooth = {
      {"10",
       "Each evaluation is the mean return of its episodes, smoothed with a trailing mean of "
       "10 evaluations."},
      {"1", "Each evaluation is the mean return of its episodes, not smoothed."}};
  const bool shaded = std::any_of(
      numbers.environments.begin(), numbers.environments.end(),
      [](const EnvironmentAnalysis& environment) { return environment.first_trained > 0; });
  captions.always =
      concat({facets(scene).size() > 1
                  ? " More than four conditions: one panel for each baseline and what "
                    "is compared with it, all panels of an environment on one scale."
                  : "",
              shaded ? " Shaded: before any run has learned." : "", thinning_text(numbers)});
  return captions;
}

Figure curves_figure(const Scene& scene) {
  Figure figure;
  figure.id = "curves";
  figure.title = "Return over training";
  figure.stretches = true;
  const CurveCaptions captions = curve_captions(scene);
  figure.caption =
      concat({captions.band.front().second, " ", captions.smooth.front().second, captions.always});
  figure.legend = scene.legend();
  const std::vector<CurvePanel> panels = curve_panels(scene);
  for (std::size_t i = 0; i < panels.size(); ++i) {
    const EnvironmentAnalysis& environment = scene.numbers().environments[panels[i].environment];
    LinePanel panel;
    panel.title = panels[i].title;
    panel.x_label = "environment steps";
    panel.y_label = "return";
    panel.y_range = shared_range(scene, panels[i].environment);
    if (environment.first_trained > 0) {
      panel.shaded_to = environment.timesteps[environment.first_trained - 1];
    }
    panel.attributes =
        concat({" tabindex=\"0\" data-plot=\"curve\" data-at=\"", std::to_string(i), "\""});
    for (const std::size_t a : panels[i].algorithms) {
      panel.series.push_back(median_series(scene, panels[i].environment, a, true));
    }
    figure.panels.push_back(draw(panel));
  }
  return figure;
}

}  // namespace tarl::report
