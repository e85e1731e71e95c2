// SPDX-License-Identifier: MIT
#pragma once

#include <cmath>
#include <fstream>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include "tarl/core/files.h"
#include "tarl/core/formats/npz.h"
#include "tarl/core/rng.h"

namespace synthetic {

// A run folder as training would leave it, with synthetic scores.
struct RunSpec {
  std::string env = "minatar/breakout";
  std::string algo = "dqn";
  std::int64_t seed = 0;
  std::int64_t steps = 1000;
  int evaluations = 10;  // done
  int planned = 10;      // eval.count
  int episodes = 5;
  double skill = 1;                // final height of the learning curve
  std::optional<double> constant;  // the return of every episode, instead of a learning curve
  double margin = 0;
  int batch = 32;
  std::string extra;  // more lines for config.toml
  std::string status = "finished";
  double wall_seconds = 60;
};

inline std::vector<double> made_up_returns(const RunSpec& spec) {
  if (spec.constant) {
    return std::vector<double>(
        static_cast<std::size_t>(spec.evaluations) * static_cast<std::size_t>(spec.episodes),
        *spec.constant);
  }
  tarl::Rng rng = tarl::seeded(7)
                      .fork(spec.env)
                      .fork(spec.algo + spec.extra)
                      .fork(std::to_string(spec.seed) + "/" + std::to_string(spec.margin) +
                            std::to_string(spec.batch));
  const double talent = spec.skill * (1 + 0.15 * rng.normal());
  std::vector<double> returns;
  for (int t = 1; t <= spec.evaluations; ++t) {
    const double learnt = 1 - std::exp(-4.0 * t / spec.planned);
    for (int e = 0; e < spec.episodes; ++e) {
      returns.push_back(0.4 + talent * learnt * (1 + 0.2 * rng.normal()));
    }
  }
  return returns;
}

inline std::string config_toml(const RunSpec& spec) {
  std::ostringstream text;
  text << "algo = \"" << spec.algo << "\"\nenv = \"" << spec.env << "\"\nseed = " << spec.seed
       << "\nsteps = " << spec.steps << "\nbatch_size = " << spec.batch << "\n"
       << spec.extra << "\n[align]\nmode = \"filter\"\nmargin = " << spec.margin
       << "\n[eval]\ncount = " << spec.planned << "\nepisodes = " << spec.episodes
       << "\n[replay]\nkind = \""
       << (spec.algo.ends_with("+per")      ? "per"
           : spec.algo.ends_with("+reaper") ? "reaper"
                                            : "uniform")
       << "\"\n";
  return text.str();
}

inline std::string progress_csv(const RunSpec& spec) {
  std::ostringstream text;
  text << "time/total_timesteps,train/n_updates";
  const bool aligned = spec.margin > 0;
  if (aligned) {
    text << ",tarl/alignment_mean,tarl/alignment_min,tarl/alignment_mean_all,"
            "tarl/alignment_min_all,tarl/scenario_perfect,tarl/scenario_undershoot,"
            "tarl/scenario_overshoot,tarl/scenario_misaligned,tarl/discarded_frac";
  }
  text << "\n";
  for (int t = 1; t <= spec.evaluations; ++t) {
    text << spec.steps * t / spec.planned << "," << spec.steps * t / spec.planned / 4;
    if (aligned) {
      const double kept = 1 - 0.4 / (1 + spec.margin) * (1 - 0.3 * t / spec.planned);
      text << "," << kept << "," << kept / 2 << "," << kept - 0.1 << "," << kept / 3
           << ",0.1,0.4,0.2,0.3," << spec.margin / (1 + spec.margin);
    }
    text << "\n";
  }
  return text.str();
}

// Plain writes: a test's folders need not survive a power cut.
inline void write_plainly(const tarl::fs::path& path, const void* data, std::size_t size) {
  std::ofstream file(path, std::ios::binary);
  file.write(static_cast<const char*>(data), static_cast<std::streamsize>(size));
}

inline void write_plainly(const tarl::fs::path& path, const std::string& text) {
  write_plainly(path, text.data(), text.size());
}

inline void write_run(const tarl::fs::path& folder, const RunSpec& spec) {
  tarl::fs::create_directories(folder);
  write_plainly(folder / "config.toml", config_toml(spec));
  std::ostringstream info;
  info << "{\"version\": \"0.1.0\", \"commit\": \"abc123\", \"cpu\": \"Test CPU\", \"status\": \""
       << spec.status << "\", \"training_seconds\": " << spec.wall_seconds << ", \"resumes\": 1, "
       << "\"command\": [\"tarl\", \"train\", \"--algo\", \"" << spec.algo
       << "\"], \"libraries\": {\"ale\": \"x\"}}";
  write_plainly(folder / "run.json", info.str());
  write_plainly(folder / "progress.csv", progress_csv(spec));

  std::vector<std::int64_t> timesteps;
  for (int t = 1; t <= spec.evaluations; ++t) timesteps.push_back(spec.steps * t / spec.planned);
  const std::vector<double> returns = made_up_returns(spec);
  const std::vector<std::int64_t> lengths(returns.size(), 10);
  const std::vector<std::int64_t> shape = {spec.evaluations, spec.episodes};
  using tarl::Tensor;
  const std::vector<tarl::NamedTensor> arrays = {
      {"timesteps", Tensor::of(std::span<const std::int64_t>(timesteps), {spec.evaluations})},
      {"results", Tensor::of(std::span<const double>(returns), shape)},
      {"ep_lengths", Tensor::of(std::span<const std::int64_t>(lengths), shape)}};
  const std::vector<std::byte> bytes = tarl::encode_npz(arrays);
  write_plainly(folder / "evaluations.npz", bytes.data(), bytes.size());
}

// The replay study of the paper, `seeds` seeds of 6 algorithms in the given environments.
inline void write_replay_study(const tarl::fs::path& root, const std::vector<std::string>& envs,
                               int seeds, int evaluations) {
  for (const std::string& env : envs) {
    for (const char* replay : {"", "+per", "+reaper"}) {
      for (const bool aligned : {false, true}) {
        for (int seed = 0; seed < seeds; ++seed) {
          RunSpec spec;
          spec.env = env;
          spec.algo = (aligned ? "ta-dqn" : "dqn") + std::string(replay);
          spec.margin = aligned ? 1 : 0;
          spec.seed = seed;
          spec.steps = 2'000'000;
          spec.evaluations = spec.planned = evaluations;
          spec.skill =
              (aligned ? 9 : 6) + 1.5 * static_cast<double>(std::string(replay).size() % 5);
          spec.wall_seconds = aligned ? 330 + 5 * seed : 300 + 4 * seed;
          write_run(root / env / spec.algo / ("seed" + std::to_string(seed)), spec);
        }
      }
    }
  }
}

}  // namespace synthetic
