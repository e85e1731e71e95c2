// SPDX-License-Identifier: MIT
#pragma once

#include "fleet/hosted/hosted_case.h"

#include "tarl/core/build_config.h"
#include "tarl/fleet/actor_critic/program.h"

// What runs of the actor-critic program are tested by, in the emulation and on a device.
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

// Runs side by side beside train::Loop, to the bit.
inline void expect_the_loops(const std::vector<train::RunConfig>& configs,
                             const std::vector<std::int64_t>& stops) {
  std::vector<std::unique_ptr<DeviceCase>> cases;
  std::vector<std::unique_ptr<CpuRun>> loops;
  for (const train::RunConfig& config : configs) {
    cases.push_back(actor_critic_case(config));
    loops.push_back(std::make_unique<CpuRun>(config));
  }
  for (const std::int64_t stop : stops) {
    run_all_to(cases, stop, 43);
    for (std::size_t i = 0; i < cases.size(); ++i) {
      loops[i]->run_to(stop);
      expect_same(cases[i]->state(), loops[i]->state(),
                  configs[i].algo + " on " + configs[i].env + ", step " + std::to_string(stop));
    }
  }
}

}  // namespace tarl::fleet::test
