// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "tarl/core/rng.h"
#include "tarl/core/state.h"
#include "tarl/rl/environment.h"
#include "tarl/rl/spec.h"

namespace tarl::rl {

// Environments of one task that are stepped together by the calling thread: simulators that take
// all actions at once, or that belong to one thread. `obs` always has a row of spec().obs.bytes()
// bytes for each of them, in order.
class EnvironmentPool {
 public:
  virtual ~EnvironmentPool() = default;
  virtual const EnvSpec& spec() const = 0;

  // Starts episodes in these environments and writes only their rows.
  virtual void reset(std::span<const int> places, std::span<std::byte> obs) = 0;

  // Advances each of them, like Environment::step().
  virtual void step(std::span<const Action> actions, std::span<std::byte> obs,
                    std::span<StepResult> results) = 0;

  virtual void save(StateWriter& out) const = 0;

  // Returns the environments whose episodes could not be restored; reset() must come next for them.
  virtual std::vector<int> load(const StateReader& in) = 0;
};

// A pool of as many environments as there are streams.
using MakePool = std::function<std::unique_ptr<EnvironmentPool>(std::span<const Rng> streams)>;

}  // namespace tarl::rl
