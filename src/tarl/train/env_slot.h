// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "tarl/core/rng.h"
#include "tarl/core/state.h"
#include "tarl/rl/environment.h"

namespace tarl::train {

// The random streams of one environment of a run: its own, and that of the actions taken in it.
struct SlotStreams {
  Rng env;
  Rng act;
};

std::vector<SlotStreams> training_streams(const Rng& run, int slots);
std::vector<SlotStreams> evaluation_streams(const Rng& evaluation, int slots);

// A borrowed view of everything a slot keeps besides its environment, wherever it lives: in
// EnvSlots, in memory that a device reads, in the image of a device's run. Only `save` and `load`
// know the names on disk; the environment's own state is in kEnvGroup beside them.
template <bool kWritable>
struct BasicEnvSlotState {
  template <class T>
  using Field = std::conditional_t<kWritable, T, const T>;

  Field<Rng>& explore;
  std::span<Field<std::byte>> obs;       // the next action is chosen for it
  std::span<Field<std::byte>> next_obs;  // written by the last step
  Field<rl::Action>& action;
  Field<rl::StepResult>& result;
  Field<double>& episode_score;
  Field<std::int64_t>& episode_length;
};

using EnvSlotState = BasicEnvSlotState<true>;
using ConstEnvSlotState = BasicEnvSlotState<false>;

void save(const ConstEnvSlotState& slot, StateWriter& out);
void load(const EnvSlotState& slot, const StateReader& in);  // sizes of observations must match

// The group of a run's saved state that holds a slot, and within it that of the environment.
std::string slot_group(int slot);
inline constexpr const char* kEnvGroup = "env";

// A finished training episode, as scores count it.
struct FinishedEpisode {
  double score = 0;
  std::int64_t length = 0;
};

// Adds the step to the slot's episode. If that ends it, returns the episode and restarts the count.
std::optional<FinishedEpisode> count_step(const EnvSlotState& slot);

}  // namespace tarl::train
