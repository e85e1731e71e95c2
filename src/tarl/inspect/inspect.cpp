// SPDX-License-Identifier: MIT
#include "tarl/inspect/inspect.h"

#include <algorithm>
#include <vector>

#include "tarl/core/error.h"
#include "tarl/core/formats/number.h"
#include "tarl/inspect/figures.h"
#include "tarl/inspect/gallery.h"
#include "tarl/inspect/numbers.h"
#include "tarl/report/page/page_frame.h"
#include "tarl/report/report.h"
#include "tarl/report/text.h"

namespace tarl::inspect {

namespace {

using report::concat;
using report::fixed;
using report::grouped;

std::string headline(const Candidates& all) {
  return concat({"Inside ", all.config.algo, " on ", report::environment_title(all.config.env),
                 ", seed ", std::to_string(all.config.seed)});
}

std::string header_html(const Request& request, const Candidates& all) {
  return concat({"<h1>", report::escape_html(headline(all)), "</h1><ul class=\"chips\">",
                 report::page_chip(all.config.env), report::page_chip(all.config.algo),
                 report::page_chip(concat({"step ", grouped(all.step)})),
                 report::page_chip(request.run.string()), "</ul>"});
}

report::Tile target_tile(const Candidates& all) {
  if (!all.period) return {"age of the target", fixed(all.target_lag, 0), "updates, in the mean"};
  const auto [young, old] = std::minmax_element(all.draws.lag.begin(), all.draws.lag.end());
  return {"age of the target",
          *young == *old ? grouped(*old) : concat({grouped(*young), " to ", grouped(*old)}),
          concat({"updates, of ", grouped(*all.period)})};
}

std::string overview_html(const Candidates& all, const Numbers& numbers) {
  const report::FilterCounts& counts = numbers.counts;
  double misaligned = 0, terminals = 0;
  for (const report::KeptBy& by : counts.by) {
    for (const report::KeptKind& kind : by.kinds) {
      const double share =
          static_cast<double>(kind.count.candidates) / static_cast<double>(counts.all.candidates);
      if (by.property == "scenario" && kind.place == double{align::kScenarioCount - 1}) {
        misaligned = share;
      }
      if (kind.name == report::kTerminalKind) terminals = share;
    }
  }
  return report::page_tiles(
      {{"mean score", fixed(counts.all.mean_alignment(), 3), "of all candidates"},
       {"mean score, kept", fixed(counts.all.mean_kept_alignment(), 3),
        concat({fixed(100 * counts.all.chance(), 0), " % are kept"})},
       {"misaligned", concat({fixed(100 * misaligned, 1), " %"}), "scenario IV"},
       {"ends of episodes", concat({fixed(100 * terminals, 1), " %"}), "of the candidates"},
       {"candidates", grouped(counts.all.candidates),
        concat(
            {grouped(counts.updates), " draws of ", std::to_string(all.draws.shape.candidates)})},
       target_tile(all)});
}

std::string moments_text(const Candidates& all) {
  if (!all.period) {
    return concat({"This run blends its target (tau = ", format_number(all.config.tau),
                   "): there is no copy to count updates from, and all candidates are drawn at the "
                   "checkpoint. The target's parameters are ",
                   fixed(all.target_lag, 0), " updates old in the mean."});
  }
  const std::string went_on = concat(
      {" From the checkpoint on the run went on in memory for ", grouped(all.trained),
       " environment steps, with the learning rate, exploration and priorities that it would have "
       "if it were resumed or made longer; nothing of that is on disk."});
  const std::int64_t lag = all.draws.lag.front();
  if (lag == all.draws.lag.back()) {
    return concat({"All candidates are drawn ", grouped(lag),
                   " updates after the target was copied (it is every ", grouped(*all.period),
                   " updates).", went_on});
  }
  return concat({"The target is copied every ", grouped(*all.period),
                 " updates, and how old it is decides what scores are. So candidates are drawn at "
                 "several moments, evenly spread over one such period from the checkpoint on.",
                 went_on});
}

std::string choice_text(const Candidates& all) {
  const train::RunConfig& config = all.config;
  const std::string m = std::to_string(config.batch_size);
  if (config.oversampling() == 0) {
    return concat({"Each draw is a batch of ", m, ", all of which the run learns from."});
  }
  return concat(
      {"Each draw is of ", std::to_string(all.draws.shape.candidates), " candidates, of which the ",
       m, " best are kept",
       all.draws.paper_score.empty()
           ? "."
           : concat({" by align.score = ", config.align.score, ", align.terminals = ",
                     align::kTerminalsNames[static_cast<std::size_t>(config.align.terminals)],
                     ". Scores on this page are the paper's."})});
}

std::string method_html(const Request& request, const Candidates& all) {
  return concat(
      {report::page_paragraph(concat(
           {"Replay, sampling, networks, scores and choice are the run's own, as its checkpoint of "
            "step ",
            grouped(all.step), " has them, ", grouped(all.updates),
            " updates into training. Draws come from streams of their own (--seed ",
            std::to_string(request.seed), ") and nothing is learned from them. ",
            choice_text(all)})),
       report::page_paragraph(moments_text(all))});
}

// Those with panels, in the page's order.
std::vector<report::Figure> figures_of(const Numbers& numbers) {
  std::vector<report::Figure> figures = {scores_figure(numbers), properties_figure(numbers)};
  if (!numbers.by_lag.empty()) figures.push_back(ages_figure(numbers));
  if (report::Figure chances = chances_figure(numbers); !chances.panels.empty()) {
    figures.push_back(std::move(chances));
  }
  return figures;
}

std::string page_html(const Request& request, const Candidates& all, const Numbers& numbers,
                      const std::string& files) {
  std::vector<report::Section> sections = {
      {"overview", "Overview", overview_html(all, numbers) + method_html(request, all)}};
  std::string drawn;
  for (const report::Figure& figure : figures_of(numbers)) drawn += report::figure_html(figure);
  sections.push_back({"figures", "Scores", std::move(drawn)});
  sections.push_back({"gallery", "Transitions", gallery_html(all)});
  return report::page_document(
      {.title = concat({headline(all), " – tarl"}),
       .header = header_html(request, all),
       .sections = std::move(sections),
       .footer = concat({"<p>Every candidate is in <code>", kCandidatesFile,
                         "</code>, every figure an SVG, in <code>", report::escape_html(files),
                         "</code> beside this page.</p>"}),
       .data = R"({"algorithms":[],"shown":[],"environments":[]})"});
}

void check_out(const Request& request, const fs::path& out) {
  const fs::path run = fs::weakly_canonical(request.run), page = fs::weakly_canonical(out);
  if (std::mismatch(run.begin(), run.end(), page.begin(), page.end()).first == run.end()) {
    throw UsageError(out.string() +
                     " lies in the run's folder, which stays as it is; choose "
                     "another place with --out");
  }
  require_replaceable(out);
}

}  // namespace

Inspected inspect_run(const Request& request, const fs::path& out) {
  check_out(request, out);
  const Candidates all = draw_candidates(request);
  const Numbers numbers = numbers_of(all);
  Inspected inspected{out, report::files_beside(out), numbers_json(all, numbers)};
  make_directories(inspected.files);
  store::save_trace(inspected.files / kCandidatesFile, all.draws);
  for (const report::Figure& figure : figures_of(numbers)) {
    write_file_durably(inspected.files / (figure.id + ".svg"), report::figure_file(figure));
  }
  write_file_durably(out, page_html(request, all, numbers, inspected.files.filename().string()));
  return inspected;
}

}  // namespace tarl::inspect
