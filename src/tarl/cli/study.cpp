// SPDX-License-Identifier: MIT
#include <chrono>
#include <cstdio>
#include <thread>

#include <unistd.h>

#include "tarl/cli/json_output.h"
#include "tarl/cli/progress_bar.h"
#include "tarl/cli/study_display.h"
#include "tarl/cli/study_json.h"
#include "tarl/cli/study_run.h"
#include "tarl/cli/study_work.h"
#include "tarl/cli/verbs.h"
#include "tarl/core/error.h"
#include "tarl/core/fields.h"
#include "tarl/core/formats/number.h"
#include "tarl/store/run_lock.h"
#include "tarl/study/executors/slurm_jobs.h"
#include "tarl/study/results/packed.h"
#include "tarl/study/run_study.h"

namespace tarl::cli {

namespace {

constexpr std::chrono::seconds kWatchInterval{2};

// Prints the table; true while the study is being worked on.
bool print_status(const study::Study& study, const fs::path& out, bool json) {
  const std::vector<study::PlannedRun> runs = study::plan(study, out);
  const study::Survey survey = study::survey(runs);
  const auto session = study::load_session(out);
  const bool slurm = session && session->executor == "slurm";
  const bool at_work = store::is_in_use(out) || survey.count(study::RunPhase::kRunning) > 0 ||
                       (slurm && !study::live_slurm_jobs(out).empty());
  std::optional<double> left;
  if (session && at_work) {
    left =
        study::seconds_left(*session, seconds_since_1970(), survey.steps_done, survey.steps_total);
  }
  if (json) {
    Json document = status_json(study, out, runs, survey);
    document["at_work"] = at_work;
    document["seconds_left"] = left ? Json(*left) : Json();
    print_json(document);
    return at_work;
  }
  std::printf("study %s in %s: %s\n\n%s\n%s", study.name.c_str(), out.c_str(),
              at_work ? "at work" : "no process is working on it",
              status_table(study, runs, survey).c_str(), status_line(survey).c_str());
  if (left) std::printf(", left %s", duration_text(*left).c_str());
  std::printf("\n");
  for (std::size_t i = 0; i < runs.size(); ++i) {
    if (survey.states[i].phase != study::RunPhase::kFailed) continue;
    std::printf("FAILED %s: %s\n", runs[i].name().c_str(), survey.states[i].error.c_str());
  }
  std::fflush(stdout);
  return at_work;
}

int status_verb(const Args& args) {
  if (args.positional().size() != 2) throw UsageError("status of which folder?");
  const fs::path out = args.positional()[1];
  const bool json = wants_json(args);
  const bool redraws = ::isatty(STDOUT_FILENO) == 1 && !json;
  for (;;) {
    if (args.has("--watch") && redraws) std::printf("\033[H\033[J");
    if (!print_status(study::stored_study(out), out, json) || !args.has("--watch"))
      return kExitGood;
    std::this_thread::sleep_for(kWatchInterval);
  }
}

int list_verb_run(const Args& args) {
  if (wants_json(args)) {
    Json all = Json::array();
    for (const study::Study& study : study::studies()) all.push_back(study_json(study));
    return print_json(all);
  }
  for (const study::Study& study : study::studies()) {
    const std::size_t cells = study.envs.size() * study.conditions.size();
    const auto runs = static_cast<long long>(cells) * study.seeds;
    std::printf("%-20s %4lld runs  %s\n", study.name.c_str(), runs, study.title.c_str());
    std::printf("%-20s            %s\n", "", study.question.c_str());
    std::string covers;
    for (const std::string& part : study.covers) covers += (covers.empty() ? "" : ", ") + part;
    if (!covers.empty()) std::printf("%-20s            paper: %s\n", "", covers.c_str());
  }
  return kExitGood;
}

int pack_verb(const Args& args) {
  if (args.positional().size() != 2) throw UsageError("pack which study's folder?");
  const fs::path study = fs::absolute(args.positional()[1]).lexically_normal();
  const fs::path name = study.has_filename() ? study.filename() : study.parent_path().filename();
  const fs::path out = args.has("--out") ? fs::path(*args.value("--out")) : "results" / name;
  const study::PackedSize size = study::pack_study(args.positional()[1], out);
  if (wants_json(args)) {
    return print_json(Json{{"folder", out.string()},
                           {"runs", size.runs},
                           {"unfinished", size.unfinished},
                           {"evaluations", size.evaluations},
                           {"bytes", size.bytes}});
  }
  std::printf("%s: %s, %s, %.1f kB; look at it with: tarl report %s\n", out.c_str(),
              plural(size.runs, "run").c_str(), plural(size.evaluations, "evaluation").c_str(),
              static_cast<double>(size.bytes) / 1000, out.c_str());
  if (size.unfinished > 0) {
    std::printf("%s of them unfinished: pack again once they have ended\n",
                std::to_string(size.unfinished).c_str());
  }
  return kExitGood;
}

int run_study(const Args& args) {
  const std::string& what = args.positional().front();
  if (what == "run") return run_a_study(args);
  if (what == "status") return status_verb(args);
  if (what == "pack") return pack_verb(args);
  if (what == "list") return list_verb_run(args);
  if (what == "work") return work_on_a_study(args);
  const std::vector<std::string> known = {"run", "status", "pack", "list", "work"};
  throw UsageError("tarl study " + what + ": do what?" + did_you_mean(what, known) +
                   " (run, status, pack, list or work)");
}

}  // namespace

Verb study_verb() {
  return {
      .name = "study",
      .summary = "run a grid of algorithms, environments and seeds to its end, whatever happens",
      .usage =
          "run NAME|FILE.toml [options] | status DIR [--watch] | pack DIR [--out DIR] | list "
          "[--json] | work DIR --runs FILE",
      .options =
          {{"--seeds", "N", "seeds 0 to N-1 of every condition (default: the study's)", {}},
           {"--steps", "N", "environment steps of every run", {}},
           {"--jobs", "N", "runs side by side (default: one a processor)", {"-j"}},
           {"--executor",
            "local|slurm|fleet",
            "who does the work; fleet: a GPU (default local)",
            {}},
           {"--device",
            "cpu|cuda",
            "slurm: runs on processors, or a fleet a GPU (default cpu)",
            {}},
           {"--runs-per-task",
            "N",
            "slurm on GPUs: runs a GPU at a time (default: what fits one like this machine's)",
            {}},
           {"--tasks", "N", "slurm on GPUs: share the runs evenly among so many", {}},
           {"--out",
            "DIR",
            "the study's folder (default runs/<study>); pack: where to (results/<folder>)",
            {}},
           {"--envs", "A,B", "only these environments", {}},
           {"--set", "KEY=VALUE", "change one setting of every run; may be repeated", {}},
           {"--on-nan",
            "stop|skip",
            "after a value that is not finite: end that run, or leave the update out",
            {}},
           {"--retries", "N", "of a run that crashed, from its checkpoint (default 3)", {}},
           {"--no-pin", "", "do not give each run a processor of its own", {}},
           {"--slurm-args", "ARGS", "further arguments for sbatch, in one word", {}},
           {"--wait", "", "slurm: stay until every run has ended", {}},
           {"--dry-run",
            "",
            "only list the runs, and estimate time, memory and disk; slurm: print the script",
            {}},
           json_option(),
           {"--runs",
            "FILE",
            "work: folders of the runs, one a line, as a Slurm array has them",
            {}},
           {"--task", "N", "work: which share of --tasks, from 0 (default 0)", {}},
           {"--watch", "", "status: again every two seconds while there is work", {}}},
      .examples = {"tarl study list", "tarl study run minatar-replay --seeds 10",
                   "tarl study run minatar-margin --envs minatar/breakout --steps 5e5 --jobs 8",
                   "tarl study run mujoco-sac --executor slurm --slurm-args \"--time=8:00:00\"",
                   "tarl study run minatar-replay --executor fleet",
                   "tarl study run mujoco-sac --executor slurm --device cuda --tasks 4",
                   "tarl study status runs/minatar-replay --watch",
                   "tarl study pack runs/minatar-replay --out results/minatar-replay"},
      .min_positional = 1,
      .max_positional = 2,
      .run = run_study};
}

}  // namespace tarl::cli
