// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <string>
#include <vector>

#include "tarl/core/state.h"
#include "tarl/fleet/agent_head.h"
#include "tarl/fleet/specify.h"
#include "tarl/rl/replay.h"
#include "tarl/train/means.h"

namespace tarl::fleet {

// Everything of an agent, in memory of the host. Arrays of transitions are indexed by slot and as
// long as the part of the buffer that is filled.
struct AgentImage {
  AgentHead head;
  std::vector<float> values, target;
  std::array<std::vector<float>, 2> moment;  // as many as the optimiser has

  std::vector<std::byte> frames;  // [slot][obs_bytes]
  std::vector<std::int32_t> action;
  std::vector<float> reward;
  std::vector<std::uint8_t> flags;

  std::vector<double> priority, weight;  // PER

  std::vector<double> td, sum;  // ReaPER
  std::vector<std::uint32_t> entry;
  std::vector<PowerRow> row;
  std::vector<PowerBlock> block;
  std::vector<double> block_weight;
  std::vector<EpisodeBooks> episode;
  std::vector<std::uint32_t> free_entries;

  std::int64_t filled(const AgentSpec& spec) const {
    return head.stored < spec.capacity ? head.stored : spec.capacity;
  }
};

// PyTorch's names of the optimiser's moments, in the order of AgentImage::moment.
std::vector<std::string> moment_names(const OptimizerPlan& optimizer);

// From and to the state that train::Loop saves, so that a run goes on where it was whoever computed
// it. The journal's part of that state is not touched: its means travel by load_means and
// store_means.
AgentImage load_image(const AgentSpec& spec, const StateReader& in);
void save_image(const AgentSpec& spec, const AgentImage& image, StateWriter& out);

// Transitions of these slots as the CPU's replay gathers them, with the weights they were drawn
// with.
rl::Sample sample_of(const AgentSpec& spec, const AgentImage& image,
                     std::vector<std::int64_t> index, std::vector<float> weight);

void load_means(const train::Means& means, AgentHead& head);
void store_means(const AgentSpec& spec, const AgentHead& head, train::Means& means);

}  // namespace tarl::fleet
