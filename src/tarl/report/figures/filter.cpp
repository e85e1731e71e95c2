// SPDX-License-Identifier: MIT
#include "tarl/report/figures/filter.h"

#include <algorithm>

#include "tarl/core/formats/number.h"
#include "tarl/report/text.h"

namespace tarl::report {

namespace {

constexpr int kColumns = 3;
constexpr const char* kAllStyle = "muted dash";

double share(std::int64_t part, std::int64_t whole) {
  return 100 * static_cast<double>(part) / static_cast<double>(whole);
}

// The shares of terminals among candidates and among kept rows.
std::string terminals_text(const FilterCounts& counts) {
  if (counts.by.empty()) return "";
  for (const KeptKind& kind : counts.by.front().kinds) {
    if (kind.name != kTerminalKind) continue;
    return concat({" Terminal transitions are ",
                   fixed(share(kind.count.candidates, counts.all.candidates), 1),
                   " % of the candidates and ", fixed(share(kind.count.kept, counts.all.kept), 1),
                   " % of what was learned from: both of their targets are the reward, so they "
                   "score 1 by definition."});
  }
  return "";
}

std::string lags_text(const FilterCounts& counts) {
  const bool shown = std::any_of(counts.by.begin(), counts.by.end(),
                                 [](const KeptBy& by) { return by.of_updates; });
  return shown ? " Every update keeps the same share; the lines show how alignment falls as the "
                 "target ages, among all candidates and among those that are kept."
               : "";
}

std::string caption_of(const FilterCounts& counts) {
  std::string text;
  for (const std::string& problem : counts.damage) text += concat({"Left out: ", problem, ". "});
  if (counts.runs == 0) return text;
  return text + concat({"The chance of a candidate to be kept, by what it is, with the number of "
                        "candidates; over ",
                        plural(counts.runs, "run"), " and ", grouped(counts.updates),
                        " traced updates. A choice without scores would keep ",
                        fixed(counts.all.chance(), 3), " of each kind.", terminals_text(counts),
                        lags_text(counts)});
}

// Alignment before and after the filter, by a property of updates.
Drawing draw_alignment(const KeptBy& by, const std::string& style) {
  LinePanel panel;
  panel.title = "mean alignment";
  panel.x_label = by.property;
  panel.y_range = {0, 1.02};
  Series all, kept;
  all.style = kAllStyle;
  kept.style = style;
  for (const KeptKind& kind : by.kinds) {
    for (Series* series : {&all, &kept}) series->x.push_back(kind.place);
    all.y.push_back(kind.count.mean_alignment());
    kept.y.push_back(kind.count.mean_kept_alignment());
  }
  panel.series = {all, kept};
  return draw(panel);
}

// Whether there is anything to show: not if every candidate was kept.
bool tells(const FilterCounts& counts) {
  return counts.all.kept != counts.all.candidates || !counts.damage.empty();
}

void fill(Figure& figure, const FilterCounts& counts, const std::string& style) {
  figure.caption = caption_of(counts);
  figure.columns = kColumns;
  for (const KeptBy& by : counts.by) {
    figure.panels.push_back(by.of_updates ? draw_alignment(by, style) : chance_panel(by, style));
    if (by.of_updates) figure.legend = {{"kept", style}, {"all candidates", kAllStyle}};
  }
}

}  // namespace

Drawing chance_panel(const KeptBy& by, const std::string& style) {
  BarPanel panel;
  panel.title = concat({"by ", by.property});
  panel.x_label = "chance to be kept";
  for (const KeptKind& kind : by.kinds) {
    const double chance = kind.count.chance();
    panel.bars.push_back({kind.name, style, chance, std::nullopt,
                          concat({fixed(chance, 3), ", n = ", grouped(kind.count.candidates)})});
  }
  return draw(panel);
}

std::vector<Figure> filter_figures(const Scene& scene, const std::vector<FilterCounts>& counts) {
  std::vector<Figure> figures;
  for (const FilterCounts& cell : counts) {
    if (!tells(cell)) continue;
    const EnvironmentAnalysis& environment = scene.numbers().environments[cell.environment];
    const std::string label = scene.numbers().label(cell.algorithm);
    Figure figure;
    figure.id = file_name(concat({"filter-", environment.name, "-", label}));
    figure.title = concat({"What the filter does: ", label, " on ", environment.title});
    fill(figure, cell, scene.styles[cell.algorithm]);
    figures.push_back(std::move(figure));
  }
  return figures;
}

Figure run_filter_figure(const study::Run& run) {
  const FilterCounts counts = filter_counts(run);
  Figure figure;
  figure.id = "filter";
  figure.title = "What the filter does";
  if (tells(counts)) fill(figure, counts, "c0");
  return figure;
}

std::string filter_csv(const Scene& scene, const std::vector<FilterCounts>& counts) {
  std::string out =
      "environment,algorithm,runs,updates,property,kind,candidates,kept,chance,"
      "alignment,kept_alignment\n";
  for (const FilterCounts& cell : counts) {
    const auto add = [&](const std::string& property, const std::string& kind,
                         const KeptCount& count) {
      const std::string fields[] = {scene.numbers().environments[cell.environment].name,
                                    scene.numbers().label(cell.algorithm),
                                    std::to_string(cell.runs),
                                    std::to_string(cell.updates),
                                    property,
                                    kind,
                                    std::to_string(count.candidates),
                                    std::to_string(count.kept),
                                    format_number(count.chance()),
                                    format_number(count.mean_alignment()),
                                    format_number(count.mean_kept_alignment())};
      for (const std::string& field : fields) out += csv_field(field) + ',';
      out.back() = '\n';
    };
    add("all", "all", cell.all);
    for (const KeptBy& by : cell.by) {
      for (const KeptKind& kind : by.kinds) add(by.property, kind.name, kind.count);
    }
  }
  return out;
}

}  // namespace tarl::report
