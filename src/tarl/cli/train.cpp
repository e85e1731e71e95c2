// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cstdio>
#include <utility>

#include "tarl/cli/config_request.h"
#include "tarl/cli/device_choice.h"
#include "tarl/cli/progress_bar.h"
#include "tarl/cli/verbs.h"
#include "tarl/core/error.h"
#include "tarl/fleet/device_training.h"
#include "tarl/store/run_files.h"
#include "tarl/study/results/run.h"
#include "tarl/train/presets.h"
#include "tarl/train/run.h"
#include "tarl/train/signals.h"

namespace tarl::cli {

namespace {

bool names_a_run(const Args& args) {
  for (const Option& option : config_options()) {
    if (args.has(option.name)) return true;
  }
  return false;
}

// As deep as studies and default folders have their runs; a folder may hold much else.
bool holds_runs(const fs::path& folder) {
  constexpr int kDeepest = 4;
  std::error_code ended;
  for (fs::recursive_directory_iterator at(folder, ended), end; !ended && at != end;
       at.increment(ended)) {
    if (!at->is_directory(ended)) continue;
    if (study::is_run_folder(at->path())) return true;
    if (at.depth() >= kDeepest) at.disable_recursion_pending();
  }
  return false;
}

// Runs are not looked for inside of others, so one of two that are nested would be in no report.
void require_own_folder(const fs::path& folder) {
  const fs::path whole = fs::absolute(folder).lexically_normal();
  for (fs::path at = whole.parent_path(); at != at.parent_path(); at = at.parent_path()) {
    if (!study::is_run_folder(at)) continue;
    throw UsageError(folder.string() + " is inside the run in " + at.string() +
                     "; choose an --out beside it");
  }
  if (!holds_runs(folder)) return;
  throw UsageError(folder.string() + " holds other runs; give this one a folder of its own, as " +
                   (folder / "NAME").string());
}

// A resumed run has its settings; the command line may repeat them.
train::RunRequest request_from(const Args& args) {
  train::RunRequest request;
  request.resume = args.has("--resume");
  request.threads = compute_threads(args);
  const train::ConfigRequest asked = config_request(args);
  const auto out = args.value("--out");
  request.folder = out ? fs::path(*out) : train::default_folder(train::resolve(asked));
  const bool begun = fs::exists(request.folder / store::kConfigFile);
  if (!begun) require_own_folder(request.folder);
  if (request.resume && (begun || (out && !names_a_run(args)))) {
    request.config =
        train::resumed(train::stored_config(request.folder), asked, request.folder.string());
  } else {
    request.config = train::resolve(asked);
  }
  return request;
}

bool asks_for_margin(const Args& args) {
  const std::vector<std::string> set = args.values("--set");
  return args.has("--margin") || std::any_of(set.begin(), set.end(), [](const std::string& one) {
           return one.starts_with("align.margin=");
         });
}

// Warns about margin settings that have no effect.
void warn_about_margin(const train::RunConfig& config) {
  if (config.margin_is_open()) return;
  if (config.align.mode != align::Mode::kFilter) {
    std::fprintf(stderr, "tarl: the margin plays no part with align.mode = %s, only with filter\n",
                 align::kModeNames[static_cast<std::size_t>(config.align.mode)]);
  } else if (config.align.margin > 0 && config.oversampling() == 0) {
    std::fprintf(stderr,
                 "tarl: align.margin = %g of batch_size = %lld is less than one candidate: this is "
                 "the plain agent\n",
                 config.align.margin, static_cast<long long>(config.batch_size));
  } else if (config.oversampling() > 0 && !config.algorithm().aligned) {
    std::fprintf(stderr, "tarl: with a margin of %g, %s is the aligned agent ta-%s\n",
                 config.align.margin, config.algo.c_str(), config.algo.c_str());
  }
}

// A preset file names its algorithm; the command line overrides it.
void warn_about_preset(const train::RunConfig& config, const Args& args) {
  if (!args.has("--preset") || !args.has("--algo")) return;
  const train::Preset preset = train::find_preset(*args.value("--preset"), config.env);
  if (!preset.algo || train::parse_algorithm(*preset.algo).name() == config.algo) return;
  std::fprintf(stderr, "tarl: --algo %s takes the place of %s in %s\n", config.algo.c_str(),
               preset.algo->c_str(), preset.name.c_str());
}

// If a family has no default preset, its tasks run with settings made for others.
void suggest_preset(const train::RunConfig& config, const Args& args) {
  if (args.has("--preset") || args.has("--resume")) return;
  const auto preset = train::suggested_preset(config.env, train::preset_base(config.algorithm()));
  if (!preset) return;
  std::fprintf(stderr, "tarl: these are the program's defaults; for %s there is --preset %s (%s)\n",
               config.env.c_str(), preset->name.c_str(), preset->title.c_str());
}

void warn_about(const train::RunConfig& config, const Args& args) {
  if (asks_for_margin(args)) warn_about_margin(config);
  warn_about_preset(config, args);
  const train::AlignConfig usual;
  if (config.align.score != usual.score && !config.uses_scores()) {
    std::fprintf(stderr, "tarl: align.score plays no part in a plain agent; give a --margin\n");
  }
  if (!config.align.terminals_by_score() && config.align.terminals != align::Terminals::kMatch) {
    std::fprintf(stderr,
                 "tarl: align.terminal_share plays no part but with align.terminals = match\n");
  }
}

int run_train(const Args& args) {
  const train::SignalGuard signals;  // before anything is touched
  train::RunRequest request = request_from(args);
  warn_about(request.config, args);
  ProgressBar bar(request.config.algo + " " + request.config.env + " seed " +
                  std::to_string(request.config.seed));
  if (!args.has("--quiet")) {
    request.progress = [&, told = false](const train::Progress& progress) mutable {
      if (!std::exchange(told, true)) suggest_preset(request.config, args);
      bar.show(progress);
    };
  }
  request.stop = train::stop_requested;
  request.notice = tell;
  const train::RunOutcome outcome =
      on_gpu(args) ? fleet::train_on_device(request) : train::run_training(request);
  bar.finish_line();
  if (outcome.end == train::RunEnd::kStopped) {
    std::fprintf(stderr, "tarl: stopped at step %s; continue with: tarl train --resume --out %s\n",
                 std::to_string(outcome.step).c_str(), request.folder.c_str());
    return kExitStopped;
  }
  if (outcome.end == train::RunEnd::kAlreadyFinished) {
    std::printf("%s was already finished\n", request.folder.c_str());
  } else {
    std::printf("%s on %s: finished, last evaluation %.3f -> %s\n", request.config.algo.c_str(),
                request.config.env.c_str(), outcome.last_evaluation, request.folder.c_str());
  }
  return kExitGood;
}

}  // namespace

Verb train_verb() {
  std::vector<Option> options = config_options();
  options.push_back(
      {"--out", "DIR", "run folder (default runs/<env>/<algo>/seed<k>)", {"-f", "--log-folder"}});
  options.push_back(
      {"--resume",
       "",
       "continue from the newest good checkpoint of the folder; with more --steps the "
       "run becomes longer",
       {}});
  options.push_back({"--threads",
                     "N",
                     "compute threads (default 1); never changes the result",
                     {"--num-threads"}});
  options.push_back(
      {"--device", "NAME", "cpu (default), or cuda: the GPU (docs/fleet.md says what runs)", {}});
  options.push_back({"--quiet", "", "no progress display", {"-q"}});
  return {.name = "train",
          .summary = "train an agent; kill it at any time and --resume to the bit",
          .usage = "[--algo NAME] [--env NAME] [--preset NAME] [--steps N] [--set key=value]...",
          .options = options,
          .examples = {"tarl train --algo ta-dqn --env minatar/breakout --steps 2e5",
                       "tarl train --algo ddqn+per --env minatar/asterix --seed 3 --out runs/mine",
                       "tarl train --algo ta-dqn --margin 3 --set learning_rate=1e-4",
                       "tarl train --algo ta-dqn --margin auto --set align.trace=20",
                       "tarl train --resume --out runs/mine",
                       "tarl train --resume --out runs/mine --steps 4e5"},
          .run = run_train};
}

}  // namespace tarl::cli
