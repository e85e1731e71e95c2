// SPDX-License-Identifier: MIT
#pragma once

#include <memory>

#include "tarl/core/threads.h"
#include "tarl/rl/agent.h"
#include "tarl/train/config.h"

namespace tarl::train {

// Memory of that agent and of the batches it learns from, without making either.
double agent_bytes(const RunConfig& config, const rl::EnvSpec& spec);

// The agent a config names, for an environment. Throws UsageError where they do not fit (SAC needs
// continuous actions, DQN discrete ones) or the machine has not the memory for its networks.
std::unique_ptr<rl::Agent> make_agent(const RunConfig& config, const rl::EnvSpec& spec,
                                      const Rng& root, Team& team);

}  // namespace tarl::train
