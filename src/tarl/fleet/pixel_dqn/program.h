// SPDX-License-Identifier: MIT
#pragma once

#include "tarl/fleet/device_run.h"

namespace tarl::fleet {

// DQN and double DQN on pictures, with environments on the host.
DeviceProgram pixel_dqn_program();

}  // namespace tarl::fleet
