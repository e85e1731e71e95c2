// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "tarl/fleet/minatar_dqn/agent_spec.h"

namespace tarl::fleet {

inline constexpr int kFp16Rows = 128;  // most candidates per update

// Why the fp16 kernel cannot run this, in a few words; empty if it can.
std::string why_not_fp16(const AgentSpec& spec);

}  // namespace tarl::fleet
