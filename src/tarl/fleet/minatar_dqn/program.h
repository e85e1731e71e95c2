// SPDX-License-Identifier: MIT
#pragma once

#include "tarl/fleet/device_run.h"

namespace tarl::fleet {

// DQN and DDQN, aligned or not, on MinAtar; the kernel itself plays the games.
DeviceProgram minatar_dqn_program();

}  // namespace tarl::fleet
