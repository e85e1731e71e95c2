// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "tarl/train/run.h"

namespace tarl::train {

inline constexpr std::int64_t kSmallRunSteps = 400;

// A whole training run in a fraction of a second, with four checkpoints.
inline RunRequest small_run(const fs::path& folder, bool resume = false,
                            const std::vector<std::string>& more = {},
                            const std::string& env = "classic/cartpole") {
  RunRequest request;
  std::vector<std::string> set = {"steps=" + std::to_string(kSmallRunSteps),
                                  "learning_starts=50",
                                  "batch_size=4",
                                  "policy.net_arch=[8]",
                                  "eval.count=4",
                                  "eval.episodes=1",
                                  "checkpoint.every=100"};
  set.insert(set.end(), more.begin(), more.end());
  request.config = resolve({.algo = "dqn", .env = env, .set = set});
  request.folder = folder;
  request.resume = resume;
  return request;
}

// The run that `tarl train --resume --out FOLDER` requests.
inline RunRequest stored_run(const fs::path& folder) {
  RunRequest request;
  request.config = stored_config(folder);
  request.folder = folder;
  request.resume = true;
  return request;
}

// Stops the run at its first progress report from that step on.
inline RunOutcome stopped_run(RunRequest request, std::int64_t from) {
  bool enough = false;
  request.progress = [&](const Progress& progress) { enough = progress.step >= from; };
  request.stop = [&] { return enough; };
  return run_training(request);
}

}  // namespace tarl::train
