// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <vector>

#include "tarl/core/state.h"
#include "tarl/fleet/minatar_dqn/agent_state.h"
#include "tarl/fleet/minatar_dqn/specify.h"
#include "tarl/replay/proportional.h"
#include "tarl/replay/reaper_state.h"
#include "tarl/replay/storage.h"
#include "tarl/rl/replay.h"
#include "tarl/train/means.h"

namespace tarl::fleet {

// Everything of an agent, in memory of the host.
struct AgentImage {
  // Of the run's shape, with nothing in it.
  explicit AgentImage(const AgentSpec& spec);

  // Takes over all that is small; arrays are the caller's to fill.
  void set_state(const AgentState& from);

  AgentState state{};
  std::vector<float> values, target;
  std::array<std::vector<float>, 2> moment;  // as many as the optimiser has
  replay::Storage storage;
  replay::ProportionalState per;
  replay::ReaperState reaper;
};

// From and to the state that train::Loop saves, so that a run goes on where it was whoever computed
// it. Sealed segments of the storage go separately, as those of a replay. The recorder's part of
// that state is not touched: its means travel by load_means and store_means.
AgentImage load_image(const AgentSpec& spec, const StateReader& in);
void save_image(const AgentSpec& spec, const AgentImage& image, StateWriter& out);

// The parameters as a model file has them.
Tensors parameters_of(const AgentSpec& spec, const AgentImage& image);

// Transitions of these slots, with the weights they were drawn with.
rl::Sample sample_of(const AgentSpec& spec, const AgentImage& image,
                     std::vector<std::int64_t> index, std::vector<float> weight);

void load_means(const train::Means& means, AgentState& state);
void store_means(const AgentSpec& spec, const AgentState& state, train::Means& means);

}  // namespace tarl::fleet
