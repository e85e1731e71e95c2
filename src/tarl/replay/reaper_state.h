// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <vector>

#include "tarl/core/state.h"
#include "tarl/replay/reaper_rows.h"

namespace tarl::replay {

// The whole state of ReaperPriorities as checkpoints hold it, on the CPU and on a GPU.
struct ReaperState {
  std::vector<double> td, sum;              // [slot] that is filled
  std::vector<std::uint32_t> entry;         // [slot] its episode's
  std::vector<PowerRow> row;                // [slot]
  std::vector<PowerGroup> group;            // [position / kPowerRows]
  std::vector<double> group_weight;         // likewise
  std::vector<ReaperEpisode> episode;       // those with a transition in the buffer, and
  std::vector<std::uint32_t> free_entries;  // entries that no longer have one
  std::vector<ReaperLane> lane;
  double max_td = 1;
  double max_sum = 1;
  std::int64_t episodes = 0;  // started so far

  void save(StateWriter& out) const;
  // Throws Error if the state is not that of such a buffer.
  static ReaperState load(const StateReader& in, std::int64_t capacity, int lanes);
};

}  // namespace tarl::replay
