// SPDX-License-Identifier: MIT
#include "tarl/fleet/actor_critic/program.h"

#include "tarl/fleet/actor_critic/agent.h"
#include "tarl/fleet/actor_critic/specify.h"
#include "tarl/fleet/hosted/hosted_program.h"

namespace tarl::fleet {

DeviceProgram actor_critic_program() {
  return {"actor_critic",
          actor_critic::concerns,
          actor_critic::why_not,
          actor_critic::needs_of,
          [](const train::RunConfig& config, const SavedRun& saved) {
            return make_hosted_run<actor_critic::Agent>(actor_critic::make_device, config, saved);
          },
          {.least = {8, 0}, .later = true}};
}

}  // namespace tarl::fleet
