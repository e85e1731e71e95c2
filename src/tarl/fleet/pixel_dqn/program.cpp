// SPDX-License-Identifier: MIT
#include "tarl/fleet/pixel_dqn/program.h"

#include "tarl/fleet/hosted/hosted_program.h"
#include "tarl/fleet/pixel_dqn/agent.h"
#include "tarl/fleet/pixel_dqn/specify.h"

namespace tarl::fleet {

DeviceProgram pixel_dqn_program() {
  return {"pixel_dqn",
          [](const train::RunConfig& config) {
            return config.environment().obs == rl::ObsKind::kBytes;
          },
          pixel_dqn::why_not,
          pixel_dqn::needs_of,
          [](const train::RunConfig& config, const SavedRun& saved) {
            return make_hosted_run<pixel_dqn::Agent>(pixel_dqn::make_device, config, saved);
          },
          {.least = {8, 0}, .later = true}};
}

}  // namespace tarl::fleet
