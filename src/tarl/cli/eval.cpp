// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <numeric>
#include <optional>

#include "tarl/cli/episode_trace.h"
#include "tarl/cli/film.h"
#include "tarl/cli/json_output.h"
#include "tarl/cli/policy_choice.h"
#include "tarl/cli/verbs.h"
#include "tarl/core/error.h"
#include "tarl/core/formats/number.h"
#include "tarl/envs/registry.h"
#include "tarl/store/own_files.h"
#include "tarl/train/evaluate.h"

namespace tarl::cli {

namespace {

double mean(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

double deviation(const std::vector<double>& values) {
  const double centre = mean(values);
  double sum = 0;
  for (const double value : values) sum += (value - centre) * (value - centre);
  return std::sqrt(sum / static_cast<double>(values.size()));
}

void tell_which(const train::Policy& policy, const Args& args) {
  if (const auto step = policy.checkpoint_step()) {
    say((args.has("--checkpoint") ? "using the checkpoint of step "
                                  : "the run is not finished; using its checkpoint of step ") +
        std::to_string(*step));
  } else if (args.has("--best")) {
    say("using the model of step " + policy.metadata().at("steps") +
        ", whose evaluation in training was the best: " + policy.metadata().at("mean_return"));
  }
}

envs::RendererKind renderer_for(const Args& args) {
  const std::string name = args.value("--renderer").value_or("auto");
  const auto kind = find_value<envs::RendererKind>(envs::kRendererNames, name);
  if (kind) return *kind;
  throw UsageError("--renderer is auto, own or mujoco, not " + name);
}

// The environment that a run's agent plays: its own, or another with the same spaces.
struct Stage {
  const envs::Entry* entry = nullptr;
  envs::EnvConfig settings;
  rl::EnvSpec spec;
};

Stage stage_for(const train::Policy& policy, const Args& args) {
  const train::RunConfig& config = policy.config();
  const auto other = args.value("--env");
  if (!other) {
    envs::EnvConfig settings = config.env_config;
    settings.renderer = renderer_for(args);
    return {&envs::registry().find(config.env), settings, policy.spec()};
  }
  const envs::Entry& entry = envs::registry().find(*other);
  envs::EnvConfig own;  // another task has its own settings; ROMs stay where they are
  own.rom_dir = config.env_config.rom_dir;
  own.renderer = renderer_for(args);
  Stage stage{&entry, entry.completed(own), entry.describe()};
  const rl::ActionSpec &mine = policy.spec().action, &its = stage.spec.action;
  const bool same = stage.spec.obs == policy.spec().obs && its.count == mine.count &&
                    its.size == mine.size && its.low == mine.low && its.high == mine.high;
  if (same) return stage;
  throw UsageError("the agent was trained on " + policy.spec().name + " (" + policy.spec().title +
                   ") and cannot play " + stage.spec.name + " (" + stage.spec.title +
                   "): --env needs the same observations and actions");
}

// The probability of a random action: as requested, as in training, or as in the run's evaluations.
double epsilon_for(const train::RunConfig& config, const Args& args) {
  if (const auto given = args.number("--epsilon", 0, 1)) {
    if (!config.algorithm().agent().epsilon_greedy) {
      throw UsageError("--epsilon is for agents that act by it; " + config.algo +
                       " has noise of its own: --stochastic");
    }
    return *given;
  }
  return args.has("--stochastic") ? config.exploration_final_eps : config.eval.epsilon;
}

void save_table(const fs::path& path, const train::EvaluationScores& scores) {
  std::string text = "episode,return,length\n";
  for (std::size_t i = 0; i < scores.returns.size(); ++i) {
    text += std::to_string(i) + "," + format_number(scores.returns[i]) + "," +
            std::to_string(scores.lengths[i]) + "\n";
  }
  write_file_durably(path, text);
}

// A file and its contents.
struct Written {
  std::string what;
  std::string path;
};

// Outputs besides the scores, as the options request.
class Outputs {
 public:
  Outputs(const Args& args, const Stage& stage) : table_(args.value("--csv")) {
    for (const char* option : {"--csv", "--trace"}) {
      if (const auto path = args.value(option)) {
        store::refuse_run_file(*path);
        require_replaceable(*path);
      }
    }
    if (const auto path = args.value("--gif")) {
      films_.push_back(gif_film(*path, stage.spec.step_seconds));
    }
    if (const auto path = args.value("--video")) {
      films_.push_back(video_film(*path, stage.spec.step_seconds));
    }
    if (films_.empty() && args.has("--film-episodes")) {
      throw UsageError("--film-episodes needs --gif or --video");
    }
    filmed_ = args.whole("--film-episodes", 1, 1, 100'000);
    trace_path_ = args.value("--trace");
    if (trace_path_ && !trace_path_->ends_with(".npz")) {
      throw UsageError("--trace writes .npz for NumPy, not " + *trace_path_);
    }
    if (trace_path_) trace_.emplace(stage.spec);
  }

  // Whether there are watchers, so that episodes are played one after another.
  bool watched() const { return trace_.has_value() || !films_.empty(); }

  // The next episode's environment.
  std::unique_ptr<rl::Environment> watch(std::unique_ptr<rl::Environment> env) {
    std::vector<Watcher*> watchers;
    if (trace_) {
      trace_->begin_episode();
      watchers.push_back(&*trace_);
    }
    if (episodes_++ < filmed_) {
      for (const auto& film : films_) watchers.push_back(film.get());
    }
    if (watchers.empty()) return env;
    return std::make_unique<WatchedEnvironment>(std::move(env), std::move(watchers));
  }

  std::vector<Written> finish(const train::EvaluationScores& scores) {
    const std::int64_t filmed = std::min(filmed_, episodes_);
    std::vector<Written> written;
    for (const auto& film : films_) {
      written.push_back(
          {filmed == 1 ? "first episode" : "first " + std::to_string(filmed) + " episodes",
           film->finish()});
    }
    if (trace_) {
      trace_->save(*trace_path_);
      written.push_back({plural(trace_->steps(), "step"), *trace_path_});
    }
    if (table_) {
      save_table(*table_, scores);
      written.push_back({plural(scores.returns.size(), "episode"), *table_});
    }
    return written;
  }

 private:
  std::optional<std::string> table_, trace_path_;
  std::vector<std::unique_ptr<Film>> films_;
  std::optional<EpisodeTrace> trace_;
  std::int64_t filmed_ = 1, episodes_ = 0;
};

void print_scores(const std::string& algo, const std::string& env,
                  const train::EvaluationScores& scores) {
  for (std::size_t i = 0; i < scores.returns.size(); ++i) {
    std::printf("episode %2zu: return %10.3f, %lld steps\n", i + 1, scores.returns[i],
                static_cast<long long>(scores.lengths[i]));
  }
  std::printf("%s on %s: mean return %.3f, standard deviation %.3f over %s%s\n", algo.c_str(),
              env.c_str(), mean(scores.returns), deviation(scores.returns),
              plural(scores.returns.size(), "episode").c_str(),
              scores.cut > 0 ? " (some cut at the step limit)" : "");
}

Json scores_json(const std::string& run, const std::string& algo, const std::string& env,
                 const train::EvaluationScores& scores, const std::vector<Written>& written) {
  Json files = Json::array();
  for (const Written& one : written) files.push_back({{"what", one.what}, {"path", one.path}});
  return {{"run", run},
          {"algo", algo},
          {"env", env},
          {"returns", scores.returns},
          {"lengths", scores.lengths},
          {"mean", mean(scores.returns)},
          {"standard_deviation", deviation(scores.returns)},
          {"cut_episodes", scores.cut},
          {"files", std::move(files)}};
}

int run_eval(const Args& args) {
  const auto episodes = static_cast<int>(args.whole("--episodes", 10, 1, 100'000));
  const Rng root = seeded(static_cast<std::uint64_t>(args.whole("--seed", 0, 0, 1LL << 53)));
  const train::PolicyChoice choice = policy_choice(args);
  train::Policy policy(args.positional().front(), say, choice);
  const Stage stage = stage_for(policy, args);
  const double epsilon = epsilon_for(policy.config(), args);
  Outputs outputs(args, stage);
  tell_which(policy, args);
  const rl::MakeEnvironment make = [&](Rng rng) {
    return outputs.watch(stage.entry->make(stage.settings, rng));
  };
  const auto scores = train::evaluate_policy({.make = make,
                                              .agent = policy.agent(),
                                              .episodes = episodes,
                                              .epsilon = epsilon,
                                              .explore = args.has("--stochastic"),
                                              .side_by_side = outputs.watched() ? 1 : 0,
                                              .stream = root.fork("evaluate")});
  const std::vector<Written> written = outputs.finish(*scores);
  if (wants_json(args)) {
    return print_json(scores_json(args.positional().front(), policy.config().algo, stage.spec.name,
                                  *scores, written));
  }
  print_scores(policy.config().algo, stage.spec.name, *scores);
  for (const Written& one : written) {
    std::printf("%s -> %s\n", one.what.c_str(), one.path.c_str());
  }
  return kExitGood;
}

}  // namespace

Verb eval_verb() {
  return {
      .name = "eval",
      .summary = "play a trained agent: returns of whole episodes, films and traces",
      .usage = "RUN [--episodes N] [--best] [--gif FILE] [--video FILE] [--csv FILE] [--json]",
      .options =
          {{"--episodes", "N", "episodes to play (default 10)", {}},
           best_option(),
           checkpoint_option(),
           {"--stochastic", "", "act as at the end of training, not greedily", {}},
           {"--epsilon",
            "X",
            "chance of a random action (DQN; default: the run's eval.epsilon)",
            {}},
           {"--env", "NAME", "another environment with the same observations and actions", {}},
           {"--seed", "N", "seed of the episodes (default 0)", {}},
           {"--csv", "FILE", "write a table: return and length of each episode", {}},
           {"--trace",
            "FILE",
            "write every step for NumPy (.npz): observations, actions, rewards",
            {}},
           {"--gif", "FILE", "write the first episode as an animated GIF, at the task's speed", {}},
           {"--video", "FILE", "the same as .mp4, .mkv, .webm, .mov or .avi, through ffmpeg", {}},
           {"--film-episodes", "N", "episodes in the film (default 1)", {}},
           {"--renderer", "KIND", "of MuJoCo's films: own, mujoco (needs libosmesa6) or auto", {}},
           json_option()},
      .examples = {"tarl eval runs/minatar/breakout/ta-dqn/seed0",
                   "tarl eval runs/minatar/breakout/ta-dqn/seed0 --episodes 100 --gif play.gif",
                   "tarl eval runs/mine --best --video play.mp4 --film-episodes 3",
                   "tarl eval runs/mine --checkpoint 50000 --csv episodes.csv --trace steps.npz",
                   "tarl eval runs/mine --stochastic --env Hopper-v5"},
      .min_positional = 1,
      .max_positional = 1,
      .run = run_eval};
}

}  // namespace tarl::cli
