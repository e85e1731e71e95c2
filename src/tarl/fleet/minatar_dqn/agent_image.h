// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <vector>

#include "tarl/core/state.h"
#include "tarl/fleet/minatar_dqn/agent_state.h"
#include "tarl/fleet/minatar_dqn/specify.h"
#include "tarl/replay/alignment_priorities.h"
#include "tarl/replay/proportional.h"
#include "tarl/replay/reaper_state.h"
#include "tarl/replay/storage.h"
#include "tarl/rl/replay.h"
#include "tarl/train/means.h"

namespace tarl::fleet {

// An agent's complete state, in host memory.
struct AgentImage {
  // Sized for the run, otherwise empty.
  explicit AgentImage(const AgentSpec& spec);

  // Copies all small state; the caller fills the arrays.
  void set_state(const AgentState& from);

  AgentState state{};
  std::vector<float> values, target;
  std::array<std::vector<float>, 2> moment;  // as many as the optimiser has
  replay::Storage storage;
  replay::ProportionalState per;
  replay::ReaperState reaper;
  replay::AlignmentState alignment;  // align.mode = prioritize
};

// Conversion from and to the state that train::Loop saves, so that a run can resume on either
// device. Sealed segments of the storage are saved separately, as those of any replay. The
// recorder's part of that state is not touched: its means pass through load_means and store_means.
AgentImage load_image(const AgentSpec& spec, const StateReader& in);
void save_image(const AgentSpec& spec, const AgentImage& image, StateWriter& out);

// The parameters, named as in a model file.
Tensors parameters_of(const AgentSpec& spec, const AgentImage& image);

// The transitions in these slots, with the weights they were drawn with.
rl::Sample sample_of(const AgentSpec& spec, const AgentImage& image,
                     std::vector<std::int64_t> index, std::vector<float> weight);

void load_means(const train::Means& means, AgentState& state);
void store_means(const AgentSpec& spec, const AgentState& state, train::Means& means);

}  // namespace tarl::fleet
