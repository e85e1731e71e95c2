// SPDX-License-Identifier: MIT
#include "tarl/fleet/actor_critic/program.h"

#include <mutex>

#include "tarl/core/machine.h"
#include "tarl/fleet/actor_critic/agent.h"
#include "tarl/fleet/actor_critic/specify.h"
#include "tarl/fleet/hosted/hosted_run.h"

namespace tarl::fleet {

namespace {

// The device and the machine's cores, which all runs share: made with the first, gone with the
// last.
struct Shop {
  std::shared_ptr<actor_critic::Device> device = actor_critic::make_device();
  HostEngine engine{{.cpus = usable_cpus(), .device = [this] { return device->turn(); }}};
};

std::shared_ptr<Shop> the_shop() {
  static std::mutex mutex;
  static std::weak_ptr<Shop> shop;
  const std::scoped_lock lock(mutex);
  std::shared_ptr<Shop> there = shop.lock();
  if (!there) shop = there = std::make_shared<Shop>();
  return there;
}

std::unique_ptr<DeviceRun> make_run(const train::RunConfig& config, const SavedRun& saved) {
  const std::shared_ptr<Shop> shop = the_shop();
  return std::make_unique<HostedRun>(
      std::shared_ptr<HostEngine>(shop, &shop->engine), config, saved,
      [&](const train::RunConfig& own, const rl::EnvSpec& spec, const StateReader& loop,
          const replay::Storage& replay) {
        return std::make_unique<actor_critic::Agent>(*shop->device, own, spec, loop, replay);
      });
}

}  // namespace

DeviceProgram actor_critic_program() {
  return {"actor_critic", actor_critic::why_not, make_run, {.least = {8, 0}, .later = true}};
}

}  // namespace tarl::fleet
