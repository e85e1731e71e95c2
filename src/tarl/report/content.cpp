// SPDX-License-Identifier: MIT
#include "tarl/report/content.h"

#include <algorithm>
#include <iterator>
#include <numeric>

#include "tarl/report/text.h"

namespace tarl::report {

Content make_content(const Scene& scene) {
  Content content;
  std::vector<std::size_t> environments(scene.numbers().environments.size());
  std::iota(environments.begin(), environments.end(), 0U);
  content.curves = curves_figure(scene);
  content.overall = overall_figure(scene);
  content.aggregates = aggregates_figure(scene);
  content.improvement = improvement_figure(scene);
  content.seeds = seeds_figure(scene);
  content.sweeps = sweep_figures(scene);
  content.scenarios = scenarios_figure();
  content.cost = cost_figure(scene, scene.algorithms, environments);
  content.problems = scene.numbers().results->problems;
  content.paper_figures = paper_figures(scene, content.problems);
  content.alignment_figures = alignment_figures(scene);
  content.filter = filter_counts(scene.numbers());
  std::ranges::move(filter_figures(scene, content.filter),
                    std::back_inserter(content.alignment_figures));
  for (const Metric metric : kMetrics) content.metrics.push_back(metric_table(scene, metric));
  for (const Pair& pair : scene.numbers().pairs) {
    content.environments.push_back(environments_table(scene, pair));
  }
  for (const PaperTable* published : covered_tables(scene, content.problems)) {
    for (Table table : {paper_table(scene, *published), paper_gains_table(scene, *published)}) {
      if (!table.rows.empty()) content.paper.push_back(std::move(table));
    }
  }
  content.aggregate_numbers = aggregate_table(scene);
  content.bounds = bounds_table(scene);
  content.pairs = pairs_table(scene);
  content.power = power_table(scene);
  content.alignment = alignment_table(scene);
  content.costs = cost_table(scene);
  std::stable_sort(
      content.problems.begin(), content.problems.end(),
      [](const study::Problem& a, const study::Problem& b) { return a.kind < b.kind; });
  return content;
}

std::string problems_summary(const std::vector<study::Problem>& problems) {
  std::string text;
  for (std::size_t kind = 0; kind < study::kProblemTitles.size(); ++kind) {
    const auto count = static_cast<std::size_t>(
        std::count_if(problems.begin(), problems.end(), [&](const study::Problem& problem) {
          return static_cast<std::size_t>(problem.kind) == kind;
        }));
    if (count == 0) continue;
    const char* title = study::kProblemTitles[kind];
    text += concat({text.empty() ? "" : ", ", plural(count, title)});
  }
  return text;
}

std::vector<const Figure*> all_figures(const Content& content) {
  std::vector<const Figure*> figures = {&content.curves,      &content.overall, &content.aggregates,
                                        &content.improvement, &content.seeds,   &content.scenarios,
                                        &content.cost};
  for (const auto* group : {&content.sweeps, &content.paper_figures, &content.alignment_figures}) {
    for (const Figure& figure : *group) figures.push_back(&figure);
  }
  std::erase_if(figures, [](const Figure* figure) { return figure->panels.empty(); });
  return figures;
}

std::vector<const Table*> all_tables(const Content& content) {
  std::vector<const Table*> tables;
  for (const auto* group : {&content.metrics, &content.environments, &content.paper}) {
    for (const Table& table : *group) tables.push_back(&table);
  }
  for (const Table* table : {&content.aggregate_numbers, &content.bounds, &content.pairs,
                             &content.power, &content.alignment, &content.costs}) {
    tables.push_back(table);
  }
  std::erase_if(tables, [](const Table* table) { return table->rows.empty(); });
  return tables;
}

}  // namespace tarl::report
