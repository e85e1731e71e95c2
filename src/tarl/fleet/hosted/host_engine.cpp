// SPDX-License-Identifier: MIT
#include "tarl/fleet/hosted/host_engine.h"

#include <exception>

#include "tarl/fleet/hosted/hosted_run.h"

namespace tarl::fleet {

HostEngine::HostEngine(const Options& options)
    : device_(options.device),
      pool_({.cpus = options.cpus, .meanwhile = [this] { return turn(); }}) {}

void HostEngine::add(HostedRun& run) {
  runs_.push_back(&run);
}

void HostEngine::remove(HostedRun& run) {
  std::erase(runs_, &run);
}

void HostEngine::route(int group, HostedRun* run) {
  const auto at = static_cast<std::size_t>(group);
  if (owners_.size() <= at) owners_.resize(at + 1);
  owners_[at] = run;
}

bool HostEngine::receive() {
  const auto tell = [this](int group, const std::exception_ptr& failure) {
    HostedRun* const run = owners_[static_cast<std::size_t>(group)];
    if (run != nullptr) run->arrived(group, failure);
  };
  try {
    const auto group = pool_.try_receive();
    if (!group) return false;
    tell(*group, nullptr);
  } catch (const GroupFailure& failure) {
    tell(failure.group(), std::current_exception());
  }
  return true;
}

bool HostEngine::turn() {
  const std::unique_lock here(mutex_, std::try_to_lock);
  if (!here) return false;
  bool done = false;
  while (receive()) done = true;
  for (HostedRun* run : runs_) done = run->move_on() || done;
  try {
    return (device_ && device_()) || done;
  } catch (...) {
    for (HostedRun* run : runs_) run->fail(std::current_exception());
    return true;
  }
}

}  // namespace tarl::fleet
