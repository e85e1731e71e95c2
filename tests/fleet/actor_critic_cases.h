// SPDX-License-Identifier: MIT
#pragma once

#include "fleet/hosted/hosted_case.h"

#include "tarl/core/build_config.h"
#include "tarl/fleet/actor_critic/program.h"

// Tests of runs of the actor-critic program, for the emulation and for a device.
namespace tarl::fleet::test {

inline train::RunConfig actor_critic_run(const std::string& algo, const std::string& env, int seed,
                                         std::vector<std::string> more = {}) {
  std::vector<std::string> set = {"steps=150",
                                  "learning_starts=20",
                                  "batch_size=10",
                                  "buffer_size=70",
                                  "eval.count=2",
                                  "eval.episodes=2",
                                  "policy.net_arch=[20,36]",
                                  "seed=" + std::to_string(seed)};
  set.insert(set.end(), more.begin(), more.end());
  return train::resolve({.algo = algo, .env = env, .set = std::move(set)});
}

inline std::unique_ptr<DeviceCase> actor_critic_case(const train::RunConfig& config,
                                                     const Tensors& saved = {}) {
  return std::make_unique<DeviceCase>(config, actor_critic_program().make, saved);
}

inline void expect_the_loops(const std::vector<train::RunConfig>& configs,
                             const std::vector<std::int64_t>& stops) {
  expect_the_loops(actor_critic_program().make, configs, stops);
}

}  // namespace tarl::fleet::test
