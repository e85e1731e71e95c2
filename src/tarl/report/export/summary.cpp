// SPDX-License-Identifier: MIT
#include "tarl/report/analysis/verdict.h"
#include "tarl/report/page/page.h"
#include "tarl/report/text.h"

namespace tarl::report {

namespace {

constexpr std::size_t kMostProblems = 10;

std::string pair_line(const Analysis& numbers, const Pair& pair) {
  std::string line =
      concat({"- **", escape_markdown(numbers.label(pair.compared)), "** against ",
              escape_markdown(numbers.label(pair.base)), ": ", verdict_word(pair.verdict),
              ". nAUC ", fixed(pair.compared_mean, 3), " against ", fixed(pair.base_mean, 3),
              ", difference ", signed_fixed(pair.difference.value, 3)});
  if (pair.difference.ci.known()) {
    line += concat({" ", signed_interval(pair.difference.ci, 3)});
  }
  return line + concat({"; P(improvement) ", fixed(pair.improvement.value, 2), "; wins ",
                        std::to_string(pair.environment_wins), " of ",
                        plural(pair.environments.size(), "environment"), "; p ",
                        p_value(pair.pooled_p), ", with Holm ", p_value(pair.pooled_holm), "\n"});
}

std::string titled(const Table& table) {
  return table.rows.empty()
             ? ""
             : concat({"\n## ", escape_markdown(table.title), "\n\n", table_markdown(table)});
}

}  // namespace

std::string summary_markdown(const Scene& scene, const Content& content) {
  const Analysis& numbers = scene.numbers();
  const study::Results& results = *numbers.results;
  const std::string& title = results.title.empty() ? results.study : results.title;
  std::string out = concat({"# ", escape_markdown(title), "\n\n",
                            escape_markdown(question(numbers)), "\n\n", headline(numbers), "\n\n"});
  if (results.partial) out += "No run is complete yet: these numbers will change.\n\n";
  for (const Pair* pair : verdict_pairs(numbers)) out += pair_line(numbers, *pair);
  if (!numbers.pairs.empty()) out += concat({"\n", family_note(numbers), "\n"});
  for (const std::string& note : comparability_notes(numbers)) {
    out += concat({"\n", escape_markdown(note), "\n"});
  }
  const std::string left_out = left_out_note(numbers);
  if (!left_out.empty()) out += concat({"\n", escape_markdown(left_out), "\n"});
  out += concat({"\n", seeds_note(numbers), "\n"});
  out += titled(content.metrics.front());
  out += titled(content.aggregate_numbers);
  if (!content.problems.empty()) {
    out += concat({"\n## ", escape_markdown(problems_summary(content.problems)), "\n\n"});
    for (std::size_t i = 0; i < content.problems.size() && i < kMostProblems; ++i) {
      out += concat({"- ", escape_markdown(content.problems[i].where), ": ",
                     escape_markdown(content.problems[i].what), "\n"});
    }
    if (content.problems.size() > kMostProblems) out += "- and more: see the report\n";
  }
  return out;
}

}  // namespace tarl::report
