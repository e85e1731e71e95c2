// SPDX-License-Identifier: MIT
#include "tarl/report/page/page_sections.h"

#include <cmath>

#include "tarl/report/analysis/verdict.h"
#include "tarl/report/text.h"

namespace tarl::report {

namespace {

std::string fact(const char* name, const std::string& value) {
  return concat({"<dt>", name, "</dt><dd>", escape_html(value), "</dd>"});
}

const char* verdict_class(Verdict verdict) {
  return verdict == Verdict::kBetter ? " better" : verdict == Verdict::kWorse ? " worse" : "";
}

std::string with_interval(const std::string& value, const std::string& bounds) {
  return bounds.empty() ? concat({value, " (no interval: one seed)"})
                        : concat({value, " ", bounds});
}

std::string out_of(std::size_t wins, std::size_t count, const char* noun) {
  return concat({std::to_string(wins), " of ", plural(count, noun)});
}

std::string pooled_p_text(const Pair& pair) {
  if (std::isnan(pair.pooled_holm)) return "– (one pair)";
  return concat({p_value(pair.pooled_p), " raw, ", p_value(pair.pooled_holm), " with Holm",
                 pair.fewest_seeds < 2 ? ", environments as the sample" : ""});
}

std::string verdict_card(const Analysis& numbers, const Pair& pair) {
  const std::string bounds = signed_interval(pair.ratio_ci, 1);
  const std::string gains =
      concat({percent(pair.gains.ratio_of_means), " as ratio of means", bounds.empty() ? "" : " ",
              bounds, ", ", percent(pair.gains.mean_of_ratios), " as mean of ratios"});
  const std::string wins =
      concat({out_of(pair.environment_wins, pair.environments.size(), "environment"), ", ",
              out_of(pair.seed_wins, pair.seed_count, "paired seed")});
  return concat(
      {"<div class=\"verdict", verdict_class(pair.verdict), "\"><h3>",
       escape_html(concat({numbers.label(pair.compared), " against ", numbers.label(pair.base)})),
       "</h3><div class=\"big\">", signed_fixed(pair.difference.value, 3),
       " nAUC <span class=\"badge\">", verdict_word(pair.verdict),
       "</span></div><dl class=\"facts\">",
       fact("difference", with_interval(signed_fixed(pair.difference.value, 3),
                                        signed_interval(pair.difference.ci, 3))),
       fact("nAUC", concat({fixed(pair.compared_mean, 3), " against ", fixed(pair.base_mean, 3)})),
       fact("gain", gains),
       fact("P(improvement)",
            with_interval(fixed(pair.improvement.value, 2), interval(pair.improvement.ci, 2))),
       fact("wins", wins), fact("p, sign flips", pooled_p_text(pair)),
       "</dl><p><b>What would change it.</b> ", escape_html(what_would_change(numbers, pair)),
       "</p></div>"});
}

std::string verdict_section(const Scene& scene) {
  const Analysis& numbers = scene.numbers();
  std::string out = concat({"<p class=\"big\">", escape_html(headline(numbers)), "</p>"});
  const std::vector<const Pair*> pairs = verdict_pairs(numbers);
  out += concat({"<div class=\"verdicts", pairs.size() % 3 == 0 ? " three" : "", "\">"});
  for (const Pair* pair : pairs) out += verdict_card(numbers, *pair);
  out += "</div>";
  const std::string left_out = left_out_note(numbers);
  if (!left_out.empty()) out += page_paragraph(left_out);
  return out + concat({page_paragraph(seeds_note(numbers)), "<p class=\"note\">",
                       escape_html(verdict_rule(numbers)), "</p>"});
}

std::string curves_section(const Content& content) {
  return concat(
      {page_paragraph(
           "Drag across a panel to zoom, double-click to zoom out. Click a name to hide its curve, "
           "point at it to bring it out."),
       "<div class=\"controls\"><div data-set=\"band\" role=\"group\" aria-label=\"what curves "
       "show\"><span>show</span>",
       page_button("median", "median + IQR", true), page_button("mean", "mean + 95 % CI", false),
       page_button("iqm", "IQM", false), page_button("range", "median + range", false),
       page_button("seeds", "every seed", false),
       "</div><div data-set=\"smooth\" role=\"group\" aria-label=\"smoothing\"><span>smoothing"
       "</span>",
       page_button("10", "10", true), page_button("1", "none", false),
       "</div><div><button type=\"button\" id=\"unzoom\">Reset zoom</button></div></div>",
       figure_html(content.curves)});
}

std::string figure_if_any(const Figure& figure) {
  return figure.panels.empty() ? "" : figure_html(figure);
}

std::string table_if_any(const Table& table) {
  return table.rows.empty() ? "" : table_html(table);
}

std::string aggregates_section(const Content& content) {
  std::string out = concat({figure_if_any(content.aggregates), figure_if_any(content.overall),
                            figure_if_any(content.improvement), figure_if_any(content.seeds)});
  for (const Figure& figure : content.sweeps) out += figure_html(figure);
  return out + table_if_any(content.aggregate_numbers);
}

std::string tables_section(const Content& content) {
  std::string out = table_if_any(content.metrics.front());
  out += table_if_any(content.bounds);
  for (std::size_t i = 1; i < content.metrics.size(); ++i) out += table_html(content.metrics[i]);
  out += table_if_any(content.pairs);
  if (!content.environments.empty()) {
    out += "<h3>Comparisons by environment</h3>";
    for (const Table& table : content.environments) {
      Table untitled = table;
      untitled.title.clear();
      out += page_details(table.title, table_html(untitled));
    }
  }
  return out + table_html(content.power);
}

std::string paper_section(const Content& content) {
  std::string out = page_paragraph(
      "The paper's figures and tables that this study covers, with its published numbers "
      "beside ours.");
  for (const Table& table : content.paper) out += table_html(table);
  if (content.paper.empty()) {
    out += page_paragraph(
        "No table of the paper is covered and shares two algorithms and an environment.");
  }
  out += figure_html(content.scenarios);
  for (const Figure& figure : content.paper_figures) out += figure_html(figure);
  return out;
}

std::string alignment_section(const Content& content) {
  if (content.alignment.rows.empty()) {
    return page_paragraph(
        "No run logged alignment. Aligned agents always do; set align.log = true to "
        "measure it for plain ones.");
  }
  std::string out = table_html(content.alignment);
  for (const Figure& figure : content.alignment_figures) out += figure_html(figure);
  return out;
}

std::string cost_section(const Content& content) {
  if (content.costs.rows.empty()) return page_paragraph("No run says how long it took.");
  return concat({table_html(content.costs), figure_if_any(content.cost)});
}

// A few notes are shown; many are counted and collapsed.
std::string problems_section(const std::vector<study::Problem>& problems) {
  constexpr std::size_t kShown = 4;
  if (problems.empty()) return page_paragraph("None: every run found is in the tables.");
  std::string out;
  for (std::size_t kind = 0; kind < study::kProblemTitles.size(); ++kind) {
    Table table = problems_table(problems, static_cast<study::ProblemKind>(kind));
    if (table.rows.empty()) continue;
    const std::string title = table.title;
    table.title.clear();
    out += table.rows.size() > kShown
               ? page_details(title, table_html(table))
               : concat({"<h4>", escape_html(title), "</h4>", table_html(table)});
  }
  return out;
}

std::string provenance_section(const Scene& scene, const Content& content) {
  const study::Results& results = *scene.numbers().results;
  std::string out =
      concat({"<h3>Missing, failed and left-out runs</h3>", problems_section(content.problems)});
  out += table_if_any(differing_settings_table(scene));
  out += table_if_any(builds_table(results));
  if (!results.runs.empty()) {
    out += page_details("Settings that all runs share", table_html(shared_settings_table(results)));
    out +=
        page_details(concat({"All ", plural(results.runs.size(), "run"), ", with their commands"}),
                     table_html(runs_table(results)));
  }
  return out;
}

}  // namespace

std::vector<Section> page_sections(const Scene& scene, const Content& content) {
  return {{"verdict", "Verdict", verdict_section(scene)},
          {"learning", "Learning curves", curves_section(content)},
          {"overall-section", "Aggregates", aggregates_section(content)},
          {"tables", "Tables", tables_section(content)},
          {"paper", "The paper", paper_section(content)},
          {"alignment", "Alignment", alignment_section(content)},
          {"cost-section", "Cost", cost_section(content)},
          {"provenance", "Provenance", provenance_section(scene, content)}};
}

}  // namespace tarl::report
