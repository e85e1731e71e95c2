// SPDX-License-Identifier: MIT
#pragma once

#include "fleet/hosted/hosted_case.h"
#include "fleet/pixel_env.h"

#include "tarl/fleet/pixel_dqn/program.h"

// What runs of the pixel program are tested by, in the emulation and on a device.
namespace tarl::fleet::test {

inline train::RunConfig pixel_run(const std::string& algo, int seed,
                                  std::vector<std::string> more = {},
                                  const std::string& env = pixel_env()) {
  std::vector<std::string> set = {"steps=120",
                                  "learning_starts=30",
                                  "train_freq=4",
                                  "batch_size=4",
                                  "buffer_size=60",
                                  "target_update_interval=24",
                                  "exploration_fraction=0.3",
                                  "learning_rate=0.001",
                                  "eval.count=2",
                                  "eval.episodes=2",
                                  "policy.net_arch=[24]",
                                  "seed=" + std::to_string(seed)};
  set.insert(set.end(), more.begin(), more.end());
  return train::resolve({.algo = algo, .env = env, .set = std::move(set)});
}

}  // namespace tarl::fleet::test
