// SPDX-License-Identifier: MIT
#include <chrono>
#include <cstdio>
#include <memory>
#include <sstream>
#include <thread>

#include <unistd.h>

#include "tarl/cli/config_request.h"
#include "tarl/cli/plugins.h"
#include "tarl/cli/progress_bar.h"
#include "tarl/cli/study_display.h"
#include "tarl/cli/verbs.h"
#include "tarl/core/error.h"
#include "tarl/core/fields.h"
#include "tarl/store/run_lock.h"
#include "tarl/study/executors/fleet_executor.h"
#include "tarl/study/executors/local_executor.h"
#include "tarl/study/executors/slurm_executor.h"
#include "tarl/study/run_study.h"

namespace tarl::cli {

namespace {

constexpr std::chrono::seconds kWatchInterval{2};

std::vector<std::string> split(const std::string& text, char between) {
  std::vector<std::string> parts;
  std::istringstream stream(text);
  for (std::string part; std::getline(stream, part, between);) {
    if (!part.empty()) parts.push_back(part);
  }
  return parts;
}

study::Study asked_study(const Args& args) {
  study::StudyRequest request;
  if (args.has("--seeds")) request.seeds = args.whole("--seeds", 5, 1, 10'000);
  request.steps = args.value("--steps");
  for (const std::string& envs : args.values("--envs")) {
    for (std::string& env : split(envs, ',')) request.envs.push_back(std::move(env));
  }
  request.set = args.values("--set");
  if (const auto on_nan = args.value("--on-nan")) request.set.push_back("on_nan=" + *on_nan);
  return study::apply_request(study::find_study(args.positional()[1]), request);
}

std::unique_ptr<study::Executor> make_executor(const Args& args, const study::Study& study,
                                               const fs::path& out) {
  const std::string name = args.value("--executor").value_or("local");
  const int jobs = static_cast<int>(args.whole("--jobs", 0, 1, 100'000));
  const int retries = static_cast<int>(args.whole("--retries", 3, 0, 1000));
  if (name == "local") {
    study::LocalOptions options;
    options.jobs = jobs;
    options.pin = !args.has("--no-pin");
    options.retries = retries;
    options.program = {kThisProgram};
    return std::make_unique<study::LocalExecutor>(options);
  }
  if (name == "slurm") {
    study::SlurmOptions options;
    options.out = out;
    options.job_name = "tarl-" + study.name;
    options.jobs = jobs;
    options.retries = retries;
    options.wait = args.has("--wait");
    options.program = kThisProgram;
    options.arguments = plugin_arguments();
    for (const std::string& words : args.values("--slurm-args")) {
      for (std::string& word : split(words, ' ')) options.sbatch.push_back(std::move(word));
    }
    return std::make_unique<study::SlurmExecutor>(options);
  }
  if (name == "fleet") {
    return std::make_unique<study::FleetExecutor>(study::FleetOptions{jobs, retries});
  }
  const std::vector<std::string> known = {"local", "slurm", "fleet"};
  throw UsageError("no executor is called '" + name + "'" + did_you_mean(name, known) +
                   " (local, slurm or fleet)");
}

int tell_end(study::Execution result, const fs::path& out) {
  const char* folder = out.c_str();
  switch (result) {
    case study::Execution::kFinished:
      std::printf("finished; look at it with: tarl report %s\n", folder);
      return kExitGood;
    case study::Execution::kSubmitted:
      std::printf("submitted; watch it with: tarl study status %s --watch\n", folder);
      return kExitGood;
    case study::Execution::kStopped:
      std::fprintf(stderr, "tarl: stopped; run the same command again to continue\n");
      return kExitStopped;
    case study::Execution::kFailed:
      std::fprintf(stderr,
                   "tarl: some runs failed (tarl study status %s); the others are done. Run "
                   "the same command again to try them once more\n",
                   folder);
      return kExitFailed;
  }
  return kExitFailed;
}

study::Execution execute(const study::Study& study, const fs::path& out,
                         study::Executor& executor) {
  StudyDisplay display;
  return study::run_study(
      study, out, executor,
      {.begun = [&](auto runs, const auto& survey,
                    const auto& session) { display.begun(runs, survey, session); },
       .event = [&](const study::RunEvent& event) { display.event(event); },
       .tick = [&] { display.tick(); },
       .notice = tell});
}

int run_verb(const Args& args) {
  if (args.positional().size() != 2) throw UsageError("run which study? (tarl study list)");
  const study::Study study = asked_study(args);
  const fs::path out = args.value("--out").value_or("runs/" + study.name);
  if (args.has("--dry-run")) {
    for (const study::PlannedRun& run : study::plan(study, out)) {
      std::printf("%-50s %12lld steps  %s\n", run.name().c_str(),
                  static_cast<long long>(run.config.steps), run.folder.c_str());
    }
    return kExitGood;
  }
  return tell_end(execute(study, out, *make_executor(args, study, out)), out);
}

// Prints the table; true while somebody works on the study.
bool print_status(const study::Study& study, const fs::path& out) {
  const std::vector<study::PlannedRun> runs = study::plan(study, out);
  const study::Survey survey = study::survey(runs);
  const auto session = study::load_session(out);
  const bool slurm = session && session->executor == "slurm";
  const bool at_work = store::is_in_use(out) || survey.count(study::RunPhase::kRunning) > 0 ||
                       (slurm && !study::live_slurm_jobs(out).empty());
  std::printf("study %s in %s: %s\n\n%s\n%s", study.name.c_str(), out.c_str(),
              at_work ? "at work" : "nobody works on it", status_table(study, runs, survey).c_str(),
              status_line(survey).c_str());
  if (session && at_work) {
    const auto left =
        study::seconds_left(*session, seconds_since_1970(), survey.steps_done, survey.steps_total);
    if (left) std::printf(", left %s", duration_text(*left).c_str());
  }
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
  const bool terminal = ::isatty(STDOUT_FILENO) == 1;
  for (;;) {
    if (args.has("--watch") && terminal) std::printf("\033[H\033[J");
    if (!print_status(study::stored_study(out), out) || !args.has("--watch")) return kExitGood;
    std::this_thread::sleep_for(kWatchInterval);
  }
}

int list_verb_run() {
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

int run_study(const Args& args) {
  const std::string& what = args.positional().front();
  if (what == "run") return run_verb(args);
  if (what == "status") return status_verb(args);
  if (what == "list") return list_verb_run();
  const std::vector<std::string> known = {"run", "status", "list"};
  throw UsageError("tarl study " + what + ": do what?" + did_you_mean(what, known) +
                   " (run, status or list)");
}

}  // namespace

Verb study_verb() {
  return {
      .name = "study",
      .summary = "run a grid of algorithms, environments and seeds to its end, whatever happens",
      .usage = "run NAME|FILE.toml [options] | status DIR [--watch] | list",
      .options = {{"--seeds", "N", "seeds 0 to N-1 of every condition (default: the study's)", {}},
                  {"--steps", "N", "environment steps of every run", {}},
                  {"--jobs", "N", "runs side by side (default: one a processor)", {"-j"}},
                  {"--executor",
                   "local|slurm|fleet",
                   "who does the work; fleet: a GPU (default local)",
                   {}},
                  {"--out", "DIR", "the study's folder (default runs/<study>)", {}},
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
                  {"--dry-run", "", "only list the runs", {}},
                  {"--watch", "", "status: again every two seconds while there is work", {}}},
      .examples = {"tarl study list", "tarl study run minatar-replay --seeds 10",
                   "tarl study run minatar-margin --envs minatar/breakout --steps 5e5 --jobs 8",
                   "tarl study run mujoco-sac --executor slurm --slurm-args \"--time=8:00:00\"",
                   "tarl study run minatar-replay --executor fleet",
                   "tarl study status runs/minatar-replay --watch"},
      .min_positional = 1,
      .max_positional = 2,
      .run = run_study};
}

}  // namespace tarl::cli
