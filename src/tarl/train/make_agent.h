// SPDX-License-Identifier: MIT
#pragma once

#include <memory>

#include "tarl/core/threads.h"
#include "tarl/rl/agent.h"
#include "tarl/train/config.h"

namespace tarl::train {

// Memory of that agent and of its batches, computed without creating either.
double agent_bytes(const RunConfig& config, const rl::EnvSpec& spec);

// The agent named by a config, for an environment. Throws UsageError if they do not fit (SAC needs
// continuous actions, DQN discrete ones) or the networks do not fit in memory.
std::unique_ptr<rl::Agent> make_agent(const RunConfig& config, const rl::EnvSpec& spec,
                                      const Rng& root, Team& team);

}  // namespace tarl::train
