// SPDX-License-Identifier: MIT
#include "tarl/report/page/page.h"

#include "tarl/core/build_config.h"
#include "tarl/report/analysis/verdict.h"
#include "tarl/report/page/page_sections.h"
#include "tarl/report/text.h"

namespace tarl::report {

namespace {

constexpr const char* kFooter =
    "<p>Figures (SVG), tables (LaTeX), scores (CSV, JSON, NPZ) and a summary are in <code>";
constexpr const char* kFooterEnd =
    "</code> beside this page. Paper: Pleiss, Harrison, Schiffer, “Target-Aligned Reinforcement "
    "Learning”, arXiv 2603.29501.</p>";

std::string chips(const Scene& scene) {
  const Analysis& numbers = scene.numbers();
  return concat({"<ul class=\"chips\">", page_chip(plural(scene.algorithms.size(), "algorithm")),
                 page_chip(plural(numbers.environments.size(), "environment")),
                 page_chip(seeds_text(numbers)),
                 page_chip(concat({plural(numbers.tabulated_runs, "run"), " in the tables"})),
                 page_chip(concat({"tarl ", kVersion, " (", kCommit, ")"})), "</ul>"});
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

std::string header(const Scene& scene, const Content& content) {
  const study::Results& results = *scene.numbers().results;
  return concat({"<h1>", escape_html(results.title.empty() ? results.study : results.title),
                 "</h1><p class=\"lead\">", escape_html(question(scene.numbers())), "</p>",
                 chips(scene), banners(scene, content)});
}

}  // namespace

std::string page_html(const Scene& scene, const Content& content, const std::string& files) {
  return page_document({.title = concat({scene.numbers().results->study, " – tarl report"}),
                        .header = header(scene, content),
                        .sections = page_sections(scene, content),
                        .footer = concat({kFooter, escape_html(files), kFooterEnd}),
                        .data = page_data(scene)});
}

}  // namespace tarl::report
