// SPDX-License-Identifier: MIT
#include "tarl/report/analysis/verdict.h"
#include "tarl/report/figures/figures.h"
#include "tarl/report/text.h"

namespace tarl::report {

namespace {

Bar environment_row(const Scene& scene, const Pair& pair, const EnvironmentPair& e) {
  Bar row{scene.numbers().environments[e.environment].title,
          scene.styles[pair.compared],
          e.difference,
          std::nullopt,
          signed_fixed(e.difference, 3),
          {}};
  if (e.ci.known()) row.range = {e.ci.low, e.ci.high};
  for (std::size_t i = 0; i < e.base.size(); ++i) row.points.push_back(e.compared[i] - e.base[i]);
  return row;
}

}  // namespace

Figure seeds_figure(const Scene& scene) {
  Figure figure;
  figure.id = "seeds";
  figure.title = "Seed by seed";
  figure.caption =
      concat({"Small dots: the difference in nAUC between the two runs of one seed. Large dots: "
              "their means, with ",
              intervals_text(scene.numbers()), ". Panels have scales of their own."});
  for (const Pair* pair : verdict_pairs(scene.numbers())) {
    IntervalPanel panel;
    panel.title =
        concat({scene.numbers().label(pair->compared), " vs ", scene.numbers().label(pair->base)});
    panel.x_label = "nAUC, compared − baseline";
    panel.reference = 0;
    for (const EnvironmentPair& e : pair->environments) {
      panel.rows.push_back(environment_row(scene, *pair, e));
    }
    if (pair->seed_count > pair->environments.size()) figure.panels.push_back(draw(panel));
  }
  return figure;
}

}  // namespace tarl::report
