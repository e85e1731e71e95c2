// SPDX-License-Identifier: MIT
#pragma once

#include <memory>
#include <mutex>

#include "tarl/core/machine.h"
#include "tarl/fleet/hosted/hosted_run.h"

namespace tarl::fleet {

// A device and the machine's cores, shared by all runs of a program: created with the first run,
// destroyed with the last.
template <class Device>
struct HostedProgram {
  std::shared_ptr<Device> device;
  HostEngine engine{{.cpus = usable_cpus(), .device = [this] { return device->turn(); }}};

  static std::shared_ptr<HostedProgram> get(std::shared_ptr<Device> (*make_device)()) {
    static std::mutex mutex;
    static std::weak_ptr<HostedProgram> program;
    const std::scoped_lock lock(mutex);
    std::shared_ptr<HostedProgram> there = program.lock();
    if (!there) program = there = std::shared_ptr<HostedProgram>(new HostedProgram{make_device()});
    return there;
  }
};

// A run whose agent is constructed as Agent(device, config, spec, loop, replay).
template <class Agent, class Device>
std::unique_ptr<DeviceRun> make_hosted_run(std::shared_ptr<Device> (*make_device)(),
                                           const train::RunConfig& config, const SavedRun& saved) {
  const auto program = HostedProgram<Device>::get(make_device);
  return std::make_unique<HostedRun>(
      std::shared_ptr<HostEngine>(program, &program->engine), config, saved,
      [&](const train::RunConfig& own, const rl::EnvSpec& spec, const StateReader& loop,
          const replay::Storage& replay) {
        return std::make_unique<Agent>(*program->device, own, spec, loop, replay);
      });
}

}  // namespace tarl::fleet
