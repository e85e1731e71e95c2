// SPDX-License-Identifier: MIT
#include "tarl/cli/flag_hints.h"

#include <string_view>

namespace tarl::cli {

namespace {

struct KnownFlag {
  std::string_view option;
  const char* text;
};

constexpr KnownFlag kSettings[] = {
    {"--learning-rate", "learning_rate"},
    {"--buffer-size", "buffer_size"},
    {"--batch-size", "batch_size"},
    {"--learning-starts", "learning_starts"},
    {"--gamma", "gamma"},
    {"--tau", "tau"},
    {"--num-envs", "n_envs"},
    {"--n-envs", "n_envs"},
    {"--train-frequency", "train_freq"},
    {"--gradient-steps", "gradient_steps"},
    {"--target-network-frequency", "target_update_interval"},
    {"--start-e", "exploration_initial_eps"},
    {"--end-e", "exploration_final_eps"},
    {"--exploration-fraction", "exploration_fraction"},
    {"--eval-episodes", "eval.episodes"},
    {"--n-eval-episodes", "eval.episodes"},
    {"--save-freq", "checkpoint.every"},
};

constexpr const char* kSetEach = "write --set key=value, once for each setting";
constexpr const char* kLogs =
    "TensorBoard events are in the run folder: tensorboard --logdir RUN; --out chooses the folder";
constexpr const char* kTracks =
    "nothing is sent anywhere; the run folder has TensorBoard, CSV and NumPy files";
constexpr const char* kCpu = "runs train on the CPU unless --device cuda is given";
constexpr const char* kFilm = "film the trained agent: tarl eval RUN --gif FILE";
constexpr const char* kTuning =
    "there is no tuning; a study compares settings: tarl study run FILE.toml (docs/studies.md)";

constexpr KnownFlag kTrain[] = {
    {"--hyperparams", kSetEach},
    {"-params", kSetEach},
    {"--hyperparameters", kSetEach},
    {"--env-kwargs", "write --set environment.KEY=VALUE (tarl show-config lists them)"},
    {"--eval-freq",
     "evaluations are counted, evenly spaced: --set eval.count=N, with N = steps / frequency"},
    {"--tensorboard-log", kLogs},
    {"-tb", kLogs},
    {"--verbose", "progress is shown unless --quiet is given"},
    {"-P", "progress is shown unless --quiet is given"},
    {"--progress", "progress is shown unless --quiet is given"},
    {"--track", kTracks},
    {"--wandb-project-name", kTracks},
    {"--wandb-entity", kTracks},
    {"--save-model", "every run saves its model: RUN/model.safetensors"},
    {"-i",
     "a run continues its own weights: tarl train --resume --out RUN, with --steps N to make it "
     "longer"},
    {"--trained-agent",
     "a run continues its own weights: tarl train --resume --out RUN, with --steps N to make it "
     "longer"},
    {"--save-replay-buffer", "a run keeps its replay with --set checkpoint.keep=true"},
    {"--cuda", kCpu},
    {"--no-cuda", kCpu},
    {"--capture-video", kFilm},
    {"--optimize", kTuning},
    {"-optimize", kTuning},
    {"--n-trials", kTuning},
    {"--yaml-file", "a file of settings is TOML here: --preset FILE.toml (tarl show-config)"},
    {"--vec-env", "environments step on compute threads: --set n_envs=N --threads N"},
    {"--exp-name", "name the run by its folder: --out DIR"},
    {"--uuid", "name the run by its folder: --out DIR"},
    {"--torch-deterministic", "runs are deterministic anyway: same seed, same bits"},
    {"--no-torch-deterministic", "runs are deterministic anyway: same seed, same bits"},
};

constexpr KnownFlag kEval[] = {
    {"--algo", "the run folder knows its algorithm: tarl eval RUN"},
    {"--env", "the run folder knows its environment: tarl eval RUN"},
    {"-f", "name the run folder: tarl eval RUN"},
    {"--folder", "name the run folder: tarl eval RUN"},
    {"-n", "play whole episodes: --episodes N"},
    {"--n-timesteps", "play whole episodes: --episodes N"},
    {"--no-render", "nothing is rendered unless a film is asked for"},
};

template <std::size_t kCount>
const char* find_flag(const KnownFlag (&entries)[kCount], const std::string& option) {
  for (const KnownFlag& entry : entries) {
    if (entry.option == option) return entry.text;
  }
  return nullptr;
}

}  // namespace

std::optional<std::string> setting_of(const std::string& option) {
  const char* setting = find_flag(kSettings, option);
  return setting == nullptr ? std::nullopt : std::optional<std::string>(setting);
}

std::string hint_for(const std::string& verb, const std::string& option) {
  const char* hint = nullptr;
  if (verb == "train") hint = find_flag(kTrain, option);
  if (verb == "eval") hint = find_flag(kEval, option);
  return hint == nullptr ? "" : hint;
}

}  // namespace tarl::cli
