// SPDX-License-Identifier: MIT
#include "tarl/report/page/page.h"

#include "tarl/core/build_config.h"
#include "tarl/report/analysis/verdict.h"
#include "tarl/report/page/page_sections.h"
#include "tarl/report/page/script.h"
#include "tarl/report/page/style.h"
#include "tarl/report/text.h"

namespace tarl::report {

namespace {

// The browser itself refuses everything that is not in the page; 'self' is for `tarl serve`.
constexpr const char* kPolicy =
    "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:; "
    "connect-src 'self'; base-uri 'none'; form-action 'none'";

constexpr const char* kHead =
    "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">"
    "<meta http-equiv=\"Content-Security-Policy\" content=\"";
constexpr const char* kHeadEnd =
    "\"><meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"><title>";
constexpr const char* kFooter =
    "</main><footer><p>Figures (SVG), tables (LaTeX), scores (CSV, JSON, NPZ) and a summary are in "
    "<code>";
constexpr const char* kFooterEnd =
    "</code> beside this page. Paper: Pleiss, Harrison, Schiffer, “Target-Aligned Reinforcement "
    "Learning”, arXiv 2603.29501.</p></footer><div id=\"tip\" role=\"status\"></div>"
    "<script type=\"application/json\" id=\"data\">";

std::string chip(const std::string& text) {
  return concat({"<li>", escape_html(text), "</li>"});
}

std::string chips(const Scene& scene) {
  const Analysis& numbers = scene.numbers();
  const std::string seeds = numbers.fewest_seeds == numbers.most_seeds
                                ? plural(numbers.most_seeds, "seed")
                                : concat({std::to_string(numbers.fewest_seeds), " to ",
                                          plural(numbers.most_seeds, "seed")});
  return concat({"<ul class=\"chips\">", chip(plural(scene.algorithms.size(), "algorithm")),
                 chip(plural(numbers.environments.size(), "environment")), chip(seeds),
                 chip(concat({plural(numbers.tabulated_runs, "run"), " in the tables"})),
                 chip(concat({"tarl ", kVersion, " (", kCommit, ")"})), "</ul>"});
}

std::string banners(const Scene& scene, const Content& content) {
  const study::Results& results = *scene.numbers().results;
  std::string out;
  if (results.partial) {
    out +=
        "<div class=\"banner\">No run is complete yet. Everything below is cut to the "
        "steps that all runs of an environment have reached, and will change.</div>";
  }
  const std::vector<std::string> notes = comparability_notes(scene.numbers());
  if (!notes.empty()) {
    out += "<div class=\"banner\"><b>How these runs are compared</b><ul>";
    for (const std::string& note : notes) out += concat({"<li>", escape_html(note), "</li>"});
    out += "</ul></div>";
  }
  if (!content.problems.empty()) {
    out += concat({"<div class=\"banner\">", escape_html(problems_summary(content.problems)),
                   ": see <a href=\"#provenance\">provenance</a>.</div>"});
  }
  return out;
}

std::string header(const Scene& scene, const Content& content,
                   const std::vector<Section>& sections) {
  const study::Results& results = *scene.numbers().results;
  std::string out = concat(
      {"<header><h1>", escape_html(results.title.empty() ? results.study : results.title),
       "</h1><p class=\"lead\">", escape_html(question(scene.numbers())), "</p>", chips(scene),
       banners(scene, content), "</header><nav aria-label=\"sections\"><div>"});
  for (const Section& section : sections) {
    out += concat({"<a href=\"#", section.id, "\">", section.title, "</a>"});
  }
  return out + "<button id=\"theme\" type=\"button\">Light / dark</button></div></nav>";
}

}  // namespace

std::string page_html(const Scene& scene, const Content& content, const std::string& files) {
  const study::Results& results = *scene.numbers().results;
  const std::vector<Section> sections = page_sections(scene, content);
  std::string out =
      concat({kHead, kPolicy, kHeadEnd, escape_html(results.study), " – tarl report</title><style>",
              page_style(), "</style></head><body>", header(scene, content, sections), "<main>"});
  for (const Section& section : sections) {
    out += concat({"<section id=\"", section.id, "\"><h2>", section.title, "</h2>", section.html,
                   "</section>"});
  }
  out += concat({kFooter, escape_html(files), kFooterEnd, page_data(scene), "</script><script>",
                 page_script(), "</script></body></html>\n"});
  return out;
}

}  // namespace tarl::report
