// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <span>

#include "tarl/core/state.h"
#include "tarl/rl/agent.h"
#include "tarl/train/evaluate.h"
#include "tarl/train/loop_records.h"
#include "tarl/train/means.h"

namespace tarl::fleet {

// The agent of a run whose environments are on the host, with everything it learns with: networks,
// optimisers, noise, scores, a copy of the replay. It computes elsewhere: act() and update() make a
// request and return at once; acted() and updated() say whether the result is available. A request
// is not repeated until then, and while an update is pending, nothing but updated() and the
// destructor is called, not even store() or act().
//
// It computes what train::Learner and rl::Agent compute, in the same order, and saves what they
// save.
class RemoteAgent {
 public:
  virtual ~RemoteAgent() = default;  // waits for pending requests

  // Whether act() and store() may be called while an update is pending after all. Until updated()
  // has returned true, acts use the parameters before the update.
  virtual bool acts_beside_updates() const { return false; }

  // The spans in `wanted` stay valid until acted() has returned true.
  virtual void act(const train::WantedActions& wanted, const rl::ActMode& mode) = 0;
  virtual bool acted() = 0;

  // The replay now has this transition in `slot`.
  virtual void store(std::int64_t slot, const rl::Transition& transition) = 0;

  // One update from these slots, followed by a sync of the target if that counts updates.
  // `progress` is the share of the run that is done.
  virtual void update(std::span<const std::int64_t> slots, double progress) = 0;

  // Adds the update's metrics. Throws NonFiniteError if it met a value that is not finite.
  virtual bool updated(train::Means& means) = 0;

  // For agents whose syncs count environment steps.
  virtual void sync_target() = 0;

  // Without the stream that slots are drawn from, which belongs to the run.
  virtual train::LearnerState learner() const = 0;
  virtual void save(StateWriter& agent) const = 0;  // as rl::Agent
  virtual Tensors parameters() const = 0;           // as rl::Agent
};

}  // namespace tarl::fleet
