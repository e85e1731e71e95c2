// SPDX-License-Identifier: MIT
//
// Studies from Python, for tarl/studies.py. Their runs are child processes of the package's own
// program, or agents of a fleet in this process.
#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <thread>

#include "bindings/bindings.h"
#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "tarl/core/error.h"
#include "tarl/core/fields.h"
#include "tarl/study/executors/fleet_executor.h"
#include "tarl/study/executors/local_executor.h"
#include "tarl/study/executors/slurm_executor.h"
#include "tarl/study/run_study.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace tarl::python {

namespace {

constexpr std::array kEventNames = {"started", "finished", "retry", "failed", "stopped", "in use"};
constexpr std::array kExecutionNames = {"finished", "failed", "stopped", "submitted"};

template <class Enum, std::size_t kCount>
const char* name_of(Enum value, const std::array<const char*, kCount>& names) {
  return names[static_cast<std::size_t>(value)];
}

// Notifies a Python object of events and runs Python's signal handlers: an exception from either
// stops the study in an orderly way and is raised again at the end.
class Listener {
 public:
  explicit Listener(nb::object told) : told_(std::move(told)) {}

  study::StudyWatcher watcher() {
    return {.begun =
                [this](auto runs, const auto& survey, const auto& session) {
                  const nb::gil_scoped_acquire gil;
                  told_.attr("begun")(runs.size(), survey.count(study::RunPhase::kFinished),
                                      session.executor);
                },
            .event =
                [this](const study::RunEvent& event) {
                  const nb::gil_scoped_acquire gil;
                  told_.attr("event")(name_of(event.kind, kEventNames), event.run->name(),
                                      event.detail, event.seconds);
                },
            .tick =
                [this] {
                  const nb::gil_scoped_acquire gil;
                  told_.attr("tick")();
                },
            .notice =
                [this](const std::string& line) {
                  const nb::gil_scoped_acquire gil;
                  told_.attr("notice")(line);
                },
            .pause = [this](auto longest) { return pause(longest); }};
  }

  void raise_again() {
    if (raised_) throw nb::python_error(*raised_);
  }

 private:
  int pause(std::chrono::milliseconds longest) {
    std::this_thread::sleep_for(std::min(longest, study::kTick));
    const nb::gil_scoped_acquire gil;
    if (PyErr_CheckSignals() != 0) {
      ++stops_;
      raised_.emplace();  // takes what was raised
    }
    return stops_;
  }

  nb::object told_;
  std::optional<nb::python_error> raised_;
  int stops_ = 0;
};

struct Work {
  std::string executor;
  fs::path program;
  int jobs, retries;
  bool wait;
  std::vector<std::string> slurm_args;
};

std::unique_ptr<study::Executor> make_executor(const Work& work, const study::Study& study,
                                               const fs::path& out) {
  if (work.executor == "local") {
    study::LocalOptions options;
    options.jobs = work.jobs;
    options.retries = work.retries;
    options.program = {work.program.string()};
    return std::make_unique<study::LocalExecutor>(options);
  }
  if (work.executor == "fleet") {
    return std::make_unique<study::FleetExecutor>(study::FleetOptions{work.jobs, work.retries});
  }
  if (work.executor == "slurm") {
    study::SlurmOptions options;
    options.out = out;
    options.job_name = "tarl-" + study.name;
    options.jobs = work.jobs;
    options.retries = work.retries;
    options.wait = work.wait;
    options.sbatch = work.slurm_args;
    options.program = work.program;
    return std::make_unique<study::SlurmExecutor>(options);
  }
  const std::vector<std::string> known = {"local", "slurm", "fleet"};
  throw UsageError("no executor is called '" + work.executor + "'" +
                   did_you_mean(work.executor, known) + " (local, slurm or fleet)");
}

std::string run(const study::Study& study, const fs::path& out, const Work& work,
                nb::object listener) {
  Listener told(std::move(listener));
  const std::unique_ptr<study::Executor> executor = make_executor(work, study, out);
  study::Execution result{};
  {
    const nb::gil_scoped_release free;
    result = study::run_study(study, out, *executor, told.watcher());
  }
  told.raise_again();
  return name_of(result, kExecutionNames);
}

nb::list status(const study::Study& study, const fs::path& out) {
  std::vector<study::PlannedRun> runs;
  study::Survey survey;
  {
    const nb::gil_scoped_release free;
    runs = study::plan(study, out);
    survey = study::survey(runs);
  }
  nb::list rows;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const study::RunState& state = survey.states[i];
    nb::dict row;
    row["env"] = runs[i].env;
    row["label"] = runs[i].label;
    row["seed"] = runs[i].seed;
    row["phase"] = study::phase_name(state.phase);
    row["step"] = state.step;
    row["steps"] = runs[i].config.steps;
    row["score"] = state.score;
    row["seconds"] = state.seconds;
    row["error"] = state.error;
    row["folder"] = runs[i].folder.string();
    rows.append(row);
  }
  return rows;
}

study::Study changed(const study::Study& study, std::optional<std::int64_t> seeds,
                     const std::optional<std::string>& steps, const std::vector<std::string>& envs,
                     const std::vector<std::string>& settings) {
  study::Study asked = study::apply_request(study, {seeds, steps, envs, settings});
  study::plan(asked, "");  // refuses invalid requests now
  return asked;
}

std::vector<std::string> labels(const study::Study& study) {
  std::vector<std::string> out;
  for (const study::Condition& one : study.conditions) out.push_back(one.label);
  return out;
}

}  // namespace

void bind_studies(nb::module_& module) {
  nb::class_<study::Study>(module, "StudyPlan")
      .def_ro("name", &study::Study::name)
      .def_ro("seeds", &study::Study::seeds)
      .def_ro("envs", &study::Study::envs)
      .def_prop_ro("labels", labels)
      .def("usual_folder", &study::usual_folder)
      .def("changed", changed, "seeds"_a.none(), "steps"_a.none(), "envs"_a, "settings"_a)
      .def("status", status, "out"_a,
           nb::sig("def status(self, out: pathlib.Path) -> list[dict[str, typing.Any]]"))
      .def(
          "run",
          [](const study::Study& study, const fs::path& out, const std::string& executor,
             const fs::path& program, int jobs, int retries, bool wait,
             const std::vector<std::string>& slurm_args, nb::object listener) {
            return run(study, out, {executor, program, jobs, retries, wait, slurm_args},
                       std::move(listener));
          },
          nb::sig("def run(self, out: pathlib.Path, executor: str, program: pathlib.Path, "
                  "jobs: int, retries: int, wait: bool, slurm_args: Sequence[str], "
                  "listener: object) -> str"));
  module.def("find_study", study::find_study, "name_or_file"_a);
  module.def("study_of", study::study_of, "name"_a, "algos"_a, "envs"_a, "preset"_a.none());
}

}  // namespace tarl::python
