// SPDX-License-Identifier: MIT
#include "tarl/report/run/run_page.h"

#include <algorithm>
#include <numeric>

#include "tarl/report/figures/filter.h"
#include "tarl/report/page/page_frame.h"
#include "tarl/report/text.h"
#include "tarl/statistics/descriptive.h"
#include "tarl/store/own_files.h"

namespace tarl::report {

namespace {

using study::RunPhase;
using study::RunRecord;

constexpr const char* kWhere = "Every figure (SVG), table (LaTeX) and a summary are in <code>";
constexpr std::size_t kFinalEvaluations = 10;  // evaluations, as in a report's tables
constexpr std::size_t kRecentEpisodes = 100;

double mean_of_last(const std::vector<double>& values, std::size_t count) {
  const std::size_t used = std::min(count, values.size());
  return statistics::mean(std::span(values).last(used));
}

std::string step_text(const RunRecord& record) {
  const std::string step = short_count(static_cast<double>(record.step));
  return record.run.steps > 0
             ? concat({step, " of ", short_count(static_cast<double>(record.run.steps))})
             : step;
}

std::string share_done(const RunRecord& record) {
  if (record.run.steps <= 0) return "";
  const double share = static_cast<double>(record.step) / static_cast<double>(record.run.steps);
  return concat({fixed(100 * std::clamp(share, 0.0, 1.0), 0), " %"});
}

std::vector<Tile> tiles(const RunRecord& record) {
  const study::Run& run = record.run;
  std::vector<Tile> all = {{"status", study::phase_name(record.phase), ""},
                           {"steps", step_text(record), share_done(record)}};
  if (!run.mean_returns.empty()) {
    const auto best = std::max_element(run.mean_returns.begin(), run.mean_returns.end());
    const auto at = static_cast<std::size_t>(best - run.mean_returns.begin());
    const auto step_of = [&](std::size_t i) {
      return concat({"at step ", short_count(static_cast<double>(run.timesteps[i]))});
    };
    all.push_back({"last evaluation", significant(run.mean_returns.back(), 4),
                   step_of(run.mean_returns.size() - 1)});
    all.push_back({"best evaluation", significant(*best, 4), step_of(at)});
    const std::size_t used = std::min(kFinalEvaluations, run.mean_returns.size());
    all.push_back({"final", significant(mean_of_last(run.mean_returns, kFinalEvaluations), 4),
                   used == run.mean_returns.size()
                       ? std::string("mean of all evaluations")
                       : concat({"mean of the last ", plural(used, "evaluation")})});
  }
  if (record.episodes.count() > 0) {
    const std::size_t used = std::min(kRecentEpisodes, record.episodes.count());
    all.push_back({"training return",
                   significant(mean_of_last(record.episodes.returns, kRecentEpisodes), 4),
                   used == record.episodes.count()
                       ? concat({"mean of all ", plural(used, "episode")})
                       : concat({"mean of the last ", plural(used, "episode"), " of ",
                                 std::to_string(record.episodes.count())})});
  }
  if (run.wall_seconds > 0) {
    const auto pace = run.steps_per_second();
    all.push_back({"training time", duration(run.wall_seconds),
                   pace ? concat({significant(*pace, 3), " steps/s"}) : ""});
  }
  return all;
}

std::string headline(const RunRecord& record) {
  return concat({record.label, " on ", environment_title(record.run.env), ", seed ",
                 std::to_string(record.run.seed)});
}

std::string banners(const RunRecord& record) {
  std::string out;
  if (record.phase == RunPhase::kFailed) {
    const auto error = record.run.info.find("error");
    out += page_banner(
        concat({"The run failed: ",
                error == record.run.info.end() ? "it does not say why" : error->second}));
  } else if (record.phase == RunPhase::kStopped) {
    out += page_banner(
        "Nobody works on this run. tarl train --resume with --out and its folder continues it.");
  }
  for (const std::string& damage : record.run.damage) out += page_banner("cannot read " + damage);
  return out;
}

std::string header(const RunRecord& record) {
  const study::Run& run = record.run;
  return concat(
      {"<h1>", escape_html(headline(record)), "</h1><ul class=\"chips\">", page_chip(run.env),
       page_chip(run.algo), page_chip(concat({"seed ", std::to_string(run.seed)})),
       page_chip(study::phase_name(record.phase)),
       page_chip(plural(run.mean_returns.size(), "evaluation")), "</ul>", banners(record)});
}

std::string controls() {
  return concat({"<div class=\"controls\"><div data-set=\"smooth\"><span>smoothing</span>",
                 page_button("1", "none", true), page_button("10", "10 evaluations", false),
                 "</div><div><button type=\"button\" id=\"unzoom\">Reset zoom</button></div></div>",
                 page_paragraph("Drag across a panel to zoom, double-click to zoom out.")});
}

std::string table_or(const Table& table, const char* otherwise) {
  return table.rows.empty() ? page_paragraph(otherwise) : table_html(table);
}

std::vector<Section> sections(const RunRecord& record) {
  const RunFigures figures = run_figures(record);
  std::size_t first = 0;
  const auto shown = [&](const RunFigure& figure) {
    return figure.panels.empty() ? "" : figure_html(draw(figure, first));
  };
  const auto section = [](const char* id, const char* title, std::string html,
                          const char* missing) {
    return Section{id, title, html.empty() ? page_paragraph(missing) : std::move(html)};
  };
  // In the order of RunFigures::all: panels are numbered as they are drawn.
  std::vector<Section> all;
  all.push_back({"overview", "Overview", page_tiles(tiles(record))});
  all.push_back(
      section("evaluation", "Evaluation", concat({controls(), shown(figures.evaluation)}), ""));
  all.push_back(section("training", "Training", shown(figures.training),
                        "No training episode has ended yet, or log.csv = false."));
  all.push_back(section("learning", "Learning", shown(figures.learning),
                        "Nothing has been learned yet, or log.csv = false."));
  const std::string alignment = shown(figures.alignment);
  const std::string scenarios = shown(figures.scenarios);
  const Figure filter = run_filter_figure(record.run);
  const std::string kept = filter.caption.empty() ? "" : figure_html(filter);
  all.push_back(section("alignment", "Alignment", concat({alignment, scenarios, kept}),
                        "This run logged no alignment. Aligned agents always do; set "
                        "align.log = true to measure it for plain ones."));
  all.push_back(
      {"settings", "Settings",
       concat({table_or(run_differences_table(record), "No setting differs from the preset."),
               page_details("All settings", table_html(run_settings_table(record)))})});
  all.push_back({"cost", "Cost", table_html(run_cost_table(record))});
  return all;
}

}  // namespace

std::string run_page_html(const RunRecord& record, const std::string& files) {
  return page_document(
      {.title = concat({headline(record), " – tarl"}),
       .header = header(record),
       .sections = sections(record),
       .footer = concat({"<p>", kWhere, escape_html(files), "</code> beside this page.</p>"}),
       .data = run_page_data(run_figures(record))});
}

std::string run_summary(const RunRecord& record) {
  std::string out = concat({"# ", escape_markdown(headline(record)), "\n\n"});
  for (const Tile& tile : tiles(record)) {
    out += concat({"- ", tile.name, ": ", escape_markdown(tile.value)});
    if (!tile.note.empty()) out += concat({" (", escape_markdown(tile.note), ")"});
    out += "\n";
  }
  for (const std::string& damage : record.run.damage) {
    out += concat({"- cannot read ", escape_markdown(damage), "\n"});
  }
  return out;
}

WrittenReport write_run_report(const RunRecord& record, const fs::path& out) {
  store::refuse_run_file(out);
  require_replaceable(out);
  WrittenReport written;
  written.page = out;
  written.files = files_beside(out);
  written.markdown = run_summary(record);
  written.of_one_run = true;
  make_directories(written.files);
  std::size_t first = 0;
  const RunFigures figures = run_figures(record);
  for (const RunFigure* figure : figures.all()) {
    const Figure drawn = draw(*figure, first);
    write_file_durably(written.files / (drawn.id + ".svg"), figure_file(drawn));
  }
  if (const Figure filter = run_filter_figure(record.run); !filter.panels.empty()) {
    write_file_durably(written.files / (filter.id + ".svg"), figure_file(filter));
  }
  for (const Table& table :
       {run_differences_table(record), run_settings_table(record), run_cost_table(record)}) {
    if (table.rows.empty()) continue;
    write_file_durably(written.files / (table.id + ".tex"), table_latex(table));
  }
  write_file_durably(written.files / "summary.md", written.markdown);
  write_file_durably(out, run_page_html(record, written.files.filename().string()));
  return written;
}

}  // namespace tarl::report
