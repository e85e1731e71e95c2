// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "tarl/core/threads.h"
#include "tarl/rl/batch.h"
#include "tarl/rl/environment.h"
#include "tarl/rl/environment_pool.h"
#include "tarl/rl/replay.h"
#include "tarl/train/env_slot.h"

namespace tarl::train {

// Memory for observations, aligned for any device and freed with its last owner. Memory that a
// device reads (pinned, mapped) comes from another function of this type.
using AllocateMemory = std::function<std::shared_ptr<std::byte>(std::size_t bytes)>;
std::shared_ptr<std::byte> plain_memory(std::size_t bytes);

// The environments of one run, stepped side by side. One step:
//
//   actions() are chosen for obs()                 explore() has the streams to draw from
//   step(i) for every slot, by any threads         writes next_obs() and results
//   the caller stores the transitions
//   end_step()                                     next_obs() becomes obs()
//   reset(i) for the slots it returns, by any threads
//
// Environments in a pool are stepped and reset together, by step(team) and reset(slots), which work
// for all kinds.
//
// Observations of all slots are contiguous, in two buffers that swap at end_step(): the one that
// the environments write is the one that the agent reads next, without a copy.
class EnvSlots {
 public:
  // Environments at the start of their first episodes, one per pair of streams.
  EnvSlots(const rl::MakeEnvironment& make, std::span<const SlotStreams> streams,
           const AllocateMemory& allocate = plain_memory);
  EnvSlots(const rl::MakePool& make, std::span<const SlotStreams> streams,
           const AllocateMemory& allocate = plain_memory);

  int size() const { return static_cast<int>(slots_.size()); }

  const rl::EnvSpec& spec() const { return *spec_; }

  std::span<const std::byte> obs() const { return all(obs_); }  // [size][spec().obs.bytes()]

  std::span<const std::byte> next_obs() const { return all(next_obs_); }  // the same

  std::span<Rng> explore() { return explore_; }  // [size]

  std::span<rl::Action> actions() { return actions_; }  // [size]

  EnvSlotState state(int slot);
  ConstEnvSlotState state(int slot) const;

  // Steps one environment with its action. Different slots may be stepped at the same time.
  // Requires environments without a pool.
  void step(int slot);

  // Steps all of them, with the team, or in the calling thread if they are in a pool.
  void step(Team& team);

  // Throws NonFiniteError if the slot's last step returned a NaN or Inf, or the reset before it
  // did, before it reaches the replay and the next checkpoint. `step` counts the steps of the whole
  // run.
  void refuse_nonfinite(int slot, const std::string& env, std::int64_t step) const;

  // The slot's last step as a transition for the replay; borrowed until end_step().
  rl::Transition transition(int slot) const;

  // Counts every slot's step in its episode and reports those that ended. Returns the slots whose
  // environments must be reset before the next step; valid until the next call.
  std::span<const int> end_step(const std::function<void(const FinishedEpisode&)>& finished);

  // Starts the next episode of a slot that end_step() returned. From any thread, as step().
  void reset(int slot);
  void reset(std::span<const int> slots);  // in this thread, pool or not

  // The step in progress as a sample, for the dump after a NaN or Inf.
  rl::Sample transitions(double gamma) const;

  // All slots, in their groups of the run's saved state. Loading returns the slots whose episodes a
  // pool could not restore.
  void save(StateWriter& out) const;
  std::vector<int> load(const StateReader& in);

  // Abandons an episode that could not be restored. If its last step is in progress, that step
  // truncates it; between steps, the next episode begins.
  void abandon(int slot, bool in_step);

 private:
  struct alignas(64) Slot {                // a thread's own cache lines
    std::unique_ptr<rl::Environment> env;  // null if there is a pool
    rl::StepResult result;
    double episode_score = 0;
    std::int64_t episode_length = 0;
  };

  Slot& at(int slot) { return slots_[static_cast<std::size_t>(slot)]; }

  // Called many times a step.
  std::span<std::byte> row(std::byte* block, int slot) const {
    return {block + static_cast<std::size_t>(slot) * obs_bytes_, obs_bytes_};
  }

  std::span<std::byte> all(std::byte* block) const { return {block, slots_.size() * obs_bytes_}; }

  void take_memory(const AllocateMemory& allocate);
  void keep_final_obs(int slot);

  std::vector<Slot> slots_;
  std::unique_ptr<rl::EnvironmentPool> pool_;
  std::vector<rl::StepResult> results_;  // of the pool
  const rl::EnvSpec* spec_ = nullptr;
  std::size_t obs_bytes_ = 0;  // of one observation
  std::vector<Rng> explore_;
  std::vector<rl::Action> actions_;
  std::vector<int> done_;
  std::shared_ptr<std::byte> memory_;  // both buffers
  std::byte* obs_ = nullptr;
  std::byte* next_obs_ = nullptr;
};

}  // namespace tarl::train
