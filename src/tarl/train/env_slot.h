// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "tarl/core/rng.h"
#include "tarl/core/state.h"
#include "tarl/rl/environment.h"

namespace tarl::train {

// The streams of one environment of a run: its own chance, and that of the actions taken in it.
struct SlotStreams {
  Rng env;
  Rng act;
};

SlotStreams training_streams(const Rng& run, int slot);
SlotStreams evaluation_streams(const Rng& evaluation, int slot);

// A borrowed view of all that a slot keeps beside its environment, wherever that lives: in an
// EnvSlot, in memory that a device reads, in the image of a device's run. `save` and `load` are the
// only code that knows the names on disk; the environment's own state is in the group "env" beside
// them.
template <bool kWritable>
struct BasicEnvSlotState {
  template <class T>
  using Field = std::conditional_t<kWritable, T, const T>;

  Field<Rng>& explore;
  std::span<Field<std::byte>> obs;       // what the next action is chosen for
  std::span<Field<std::byte>> next_obs;  // written by the last step
  Field<rl::Action>& action;
  Field<rl::StepResult>& result;
  Field<double>& episode_score;
  Field<std::int64_t>& episode_length;

  operator BasicEnvSlotState<false>() const requires kWritable {
    return {explore, obs, next_obs, action, result, episode_score, episode_length};
  }
};

using EnvSlotState = BasicEnvSlotState<true>;
using ConstEnvSlotState = BasicEnvSlotState<false>;

void save(const ConstEnvSlotState& slot, StateWriter& out);
void load(const EnvSlotState& slot, const StateReader& in);  // sizes of observations must match

// One environment of a run with the step under way in it. Between steps `obs` is what the next
// action is chosen for; between a step and end_step() it is what `action` was chosen for, and
// `next_obs` and `result` are what came of it.
struct EnvSlot {
  // A fresh environment at the start of its first episode.
  EnvSlot(const rl::MakeEnvironment& make, const SlotStreams& streams);

  EnvSlotState state() {
    return {explore, obs, next_obs, action, result, episode_score, episode_length};
  }

  ConstEnvSlotState state() const {
    return {explore, obs, next_obs, action, result, episode_score, episode_length};
  }

  std::unique_ptr<rl::Environment> env;
  Rng explore;
  std::vector<std::byte> obs;
  std::vector<std::byte> next_obs;
  rl::Action action;
  rl::StepResult result;
  double episode_score = 0;
  std::int64_t episode_length = 0;
};

// The group of a run's saved state that holds a slot, whatever the rest of the run runs on.
std::string slot_group(std::size_t slot);

// As above, with the environment.
void save(const EnvSlot& slot, StateWriter& out);
void load(EnvSlot& slot, const StateReader& in);

// A training episode that is over, as scores count it.
struct FinishedEpisode {
  double score = 0;
  std::int64_t length = 0;
};

// Adds the step to the slot's episode; the episode, and a new count, where it is over.
std::optional<FinishedEpisode> count_step(const EnvSlotState& slot);

}  // namespace tarl::train
