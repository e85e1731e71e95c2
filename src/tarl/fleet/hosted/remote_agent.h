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

// The agent of a run whose environments are on the host, and what it learns with: networks,
// optimisers, noise, scores, a copy of the replay. It computes elsewhere: act() and update() ask
// for something and return at once, acted() and updated() say whether it is there. Between the two
// neither is asked for again, and nothing else but the destructor is called while an update is
// under way, store() and act() neither.
//
// What it computes is what train::Learner and rl::Agent do in that order, and what it saves is what
// they save.
class RemoteAgent {
 public:
  virtual ~RemoteAgent() = default;  // waits for what is under way

  // Whether act() and store() may be called while an update is under way after all. Acts are then
  // those of the parameters before it until updated() has said that it is over.
  virtual bool acts_beside_updates() const { return false; }

  // What is wanted stays where it is until it was chosen.
  virtual void act(const train::WantedActions& wanted, const rl::ActMode& mode) = 0;
  virtual bool acted() = 0;

  // The replay has this transition in `slot` now.
  virtual void store(std::int64_t slot, const rl::Transition& transition) = 0;

  // One update from these slots, and the target's part that follows by the count of updates.
  // `progress` is the share of the run done.
  virtual void update(std::span<const std::int64_t> slots, double progress) = 0;

  // Adds the update's figures. Throws NonFiniteError where it met a value that is not finite.
  virtual bool updated(train::Means& means) = 0;

  // By steps of the environment, for agents that count those.
  virtual void sync_target() = 0;

  // But for the stream that slots are drawn with, which is the run's.
  virtual train::LearnerState learner() const = 0;
  virtual void save(StateWriter& agent) const = 0;  // as rl::Agent
  virtual Tensors parameters() const = 0;           // as rl::Agent
};

}  // namespace tarl::fleet
