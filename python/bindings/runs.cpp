// SPDX-License-Identifier: MIT
//
// Runs on disk as tables and figures: what tarl report reads and computes, for tarl/results.py.
#include <algorithm>
#include <map>
#include <memory>
#include <mutex>
#include <optional>

#include "bindings/arrays.h"
#include "bindings/bindings.h"
#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "tarl/core/error.h"
#include "tarl/core/fields.h"
#include "tarl/report/analysis/verdict.h"
#include "tarl/report/content.h"
#include "tarl/report/export/export.h"
#include "tarl/report/report.h"
#include "tarl/store/monitor_csv.h"
#include "tarl/store/progress_csv.h"
#include "tarl/store/run_files.h"
#include "tarl/study/results/results.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace tarl::python {

namespace {

template <class T>
nb::object column(std::vector<T> values) {
  const std::size_t count = values.size();
  return to_numpy(std::move(values), {count});
}

std::vector<std::int64_t> whole(const std::vector<double>& values) {
  return {values.begin(), values.end()};
}

nb::list to_list(const std::vector<study::Problem>& problems) {
  nb::list out;
  for (const study::Problem& one : problems) {
    out.append(nb::make_tuple(study::kProblemTitles[static_cast<std::size_t>(one.kind)], one.where,
                              one.what));
  }
  return out;
}

// What a run's files say, and its name in tables.
nb::dict description(const study::Results& results, const study::Run& run,
                     const study::Algorithm& algorithm) {
  nb::dict settings;
  for (const auto& [key, value] : run.config) settings[nb::str(key.c_str())] = value;
  nb::dict out;
  out["folder"] = results.path_of(run);
  out["env"] = run.env;
  out["algo"] = run.algo;
  out["label"] = algorithm.label;
  out["margin"] = algorithm.margin;
  out["replay"] = replay::kKindNames[static_cast<std::size_t>(algorithm.replay)];
  out["seed"] = run.seed;
  out["steps"] = run.steps;
  out["status"] = run.status ? nb::cast(store::name_of(*run.status)) : nb::none();
  out["seconds"] = run.wall_seconds;
  out["settings"] = settings;
  return out;
}

using CsvOf = std::string (*)(const report::Scene&);

const std::map<std::string, CsvOf>& csv_files() {
  static const std::map<std::string, CsvOf> files = {{"runs", report::runs_csv},
                                                     {"curves", report::curves_csv},
                                                     {"summary", report::summary_csv},
                                                     {"aggregates", report::aggregates_csv},
                                                     {"comparisons", report::comparisons_csv}};
  return files;
}

// All runs below some folders, read once; computed results are cached. Numbers and figures are
// those of tarl report.
class LoadedRuns {
 public:
  LoadedRuns(const std::vector<fs::path>& folders, const study::ReadOptions& reading)
      : results_(study::read_results(folders, reading)) {
    for (std::size_t e = 0; e < results_.environments.size(); ++e) {
      for (std::size_t a = 0; a < results_.algorithms.size(); ++a) {
        for (const std::size_t run : results_.cell(e, a)) runs_.push_back({run, a});
      }
    }
  }

  LoadedRuns(const LoadedRuns&) = delete;  // the analysis points to the results
  LoadedRuns& operator=(const LoadedRuns&) = delete;

  nb::list problems() const { return to_list(results_.problems); }

  nb::list runs() const {
    nb::list out;
    for (const Tabulated& one : runs_) {
      out.append(description(results_, results_.runs[one.run], results_.algorithms[one.algorithm]));
    }
    return out;
  }

  // One row per evaluation episode of the run at that index.
  nb::dict evaluations(std::size_t place) const {
    const study::Run& run = at(place);
    std::vector<std::int64_t> steps, episodes;
    std::vector<double> returns;
    for (std::size_t t = 0; t < run.returns.size(); ++t) {
      for (std::size_t i = 0; i < run.returns[t].size(); ++i) {
        steps.push_back(run.timesteps[t]);
        episodes.push_back(static_cast<std::int64_t>(i));
        returns.push_back(run.returns[t][i]);
      }
    }
    nb::dict out;
    out["step"] = column(std::move(steps));
    out["episode"] = column(std::move(episodes));
    out["return"] = column(std::move(returns));
    if (!run.lengths.empty()) out["length"] = column(run.lengths);
    return out;
  }

  nb::dict progress(std::size_t place) const {
    const auto& columns = at(place).progress;
    nb::dict out;
    if (const auto found = columns.find(store::kStepColumn); found != columns.end()) {
      out["step"] = column(whole(found->second));
    }
    for (const auto& [name, values] : columns) {
      out[nb::str(name.c_str())] = column(values);
    }
    return out;
  }

  nb::dict episodes(std::size_t place) const {
    const fs::path file = results_.path_of(at(place)) / store::kMonitorFile;
    store::Episodes episodes;
    if (fs::exists(file)) episodes = store::read_monitor(file);
    nb::dict out;
    out["step"] = column(whole(episodes.steps));
    out["return"] = column(std::move(episodes.returns));
    out["length"] = column(whole(episodes.lengths));
    return out;
  }

  std::string csv(const std::string& name) { return csv_files().at(name)(scene()); }

  std::string figure(const std::string& id) {
    if (id == "curves") return report::figure_file(report::curves_figure(scene()));
    std::vector<std::string> known;
    for (const report::Figure* figure : report::all_figures(content())) {
      if (figure->id == id) return report::figure_file(*figure);
      known.push_back(figure->id);
    }
    std::string all;
    for (const std::string& name : known) all += (all.empty() ? "" : ", ") + name;
    throw UsageError("these runs have no figure called '" + id + "'" + did_you_mean(id, known) +
                     " (" + all + ")");
  }

  std::vector<std::string> figures() {
    std::vector<std::string> ids;
    for (const report::Figure* figure : report::all_figures(content())) ids.push_back(figure->id);
    return ids;
  }

  std::string headline() { return report::headline(scene().numbers()); }

  std::string table_html() { return report::table_html(report::aggregate_table(scene())); }

  std::string problems_summary() const { return report::problems_summary(results_.problems); }

 private:
  struct Tabulated {
    std::size_t run, algorithm;  // positions among the results
  };

  const study::Run& at(std::size_t place) const { return results_.runs[runs_.at(place).run]; }

  // Computed on first use, in any thread: the bootstrap is slow.
  const report::Scene& scene() {
    const std::lock_guard lock(computing_);
    if (!analysis_) analysis_ = std::make_unique<report::Analysis>(report::analyse(results_));
    if (analysis_->tabulated_runs == 0) {
      throw Error("there is no run with an evaluation among these; .problems says what was found");
    }
    if (!scene_) scene_ = report::make_scene(*analysis_);
    return *scene_;
  }

  const report::Content& content() {
    const report::Scene& shown = scene();
    const std::lock_guard lock(computing_);
    if (!content_) content_ = report::make_content(shown);
    return *content_;
  }

  study::Results results_;
  std::vector<Tabulated> runs_;
  std::mutex computing_;
  std::unique_ptr<report::Analysis> analysis_;
  std::optional<report::Scene> scene_;
  std::optional<report::Content> content_;
};

study::ReadOptions reading_of(const std::vector<fs::path>& folders,
                              const std::vector<std::string>& labels, bool unfinished) {
  if (!labels.empty() && labels.size() != folders.size()) {
    throw UsageError("there are " + std::to_string(labels.size()) + " labels for " +
                     std::to_string(folders.size()) +
                     " folders; give one for each, in their order ('' is none)");
  }
  return {.include_unfinished = unfinished, .labels = labels};
}

nb::dict report_of(const std::vector<fs::path>& folders, const std::vector<std::string>& labels,
                   bool unfinished, const std::optional<fs::path>& out) {
  report::WrittenReport written;
  {
    const nb::gil_scoped_release free;
    written = report::report_folders(folders, reading_of(folders, labels, unfinished),
                                     out.value_or(fs::path()));
  }
  nb::list verdicts;
  for (const report::WrittenVerdict& one : written.verdicts) {
    verdicts.append(nb::make_tuple(one.compared, one.base, one.verdict));
  }
  nb::dict result;
  result["page"] = written.page;
  result["files"] = written.files;
  result["markdown"] = written.markdown;
  result["verdicts"] = verdicts;
  result["problems"] = to_list(written.notes);
  return result;
}

}  // namespace

void bind_runs(nb::module_& module) {
  using Free = nb::call_guard<nb::gil_scoped_release>;
  nb::class_<LoadedRuns>(module, "LoadedRuns")
      .def(
          "__init__",
          [](LoadedRuns* at, const std::vector<fs::path>& folders,
             const std::vector<std::string>& labels, bool unfinished) {
            const nb::gil_scoped_release free;
            new (at) LoadedRuns(folders, reading_of(folders, labels, unfinished));
          },
          nb::sig("def __init__(self, folders: Sequence[pathlib.Path], labels: Sequence[str], "
                  "unfinished: bool) -> None"))
      .def("problems", &LoadedRuns::problems,
           nb::sig("def problems(self) -> list[tuple[str, str, str]]"))
      .def("runs", &LoadedRuns::runs, nb::sig("def runs(self) -> list[dict[str, typing.Any]]"))
      .def("evaluations", &LoadedRuns::evaluations,
           nb::sig("def evaluations(self, place: int) -> dict[str, typing.Any]"))
      .def("progress", &LoadedRuns::progress,
           nb::sig("def progress(self, place: int) -> dict[str, typing.Any]"))
      .def("episodes", &LoadedRuns::episodes,
           nb::sig("def episodes(self, place: int) -> dict[str, typing.Any]"))
      .def("csv", &LoadedRuns::csv, "name"_a, Free())
      .def("figure", &LoadedRuns::figure, "id"_a, Free())
      .def("figures", &LoadedRuns::figures, Free())
      .def("headline", &LoadedRuns::headline, Free())
      .def("table_html", &LoadedRuns::table_html, Free())
      .def("problems_summary", &LoadedRuns::problems_summary);
  module.def("report_folders", report_of, nb::arg(), nb::arg(), nb::arg(), nb::arg().none(),
             nb::sig("def report_folders(folders: Sequence[pathlib.Path], labels: Sequence[str], "
                     "unfinished: bool, out: pathlib.Path | None) -> dict[str, typing.Any]"));
}

}  // namespace tarl::python
