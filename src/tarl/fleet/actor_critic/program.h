// SPDX-License-Identifier: MIT
#pragma once

#include "tarl/fleet/device_run.h"

namespace tarl::fleet {

// SAC, TD3 and DDPG with environments on the host.
DeviceProgram actor_critic_program();

}  // namespace tarl::fleet
