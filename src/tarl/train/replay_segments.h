// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "tarl/rl/replay.h"
#include "tarl/store/checkpoint.h"

namespace tarl::train {

// The replay's sealed segments as segments of a checkpoint. The replay outlives them.
std::vector<store::Segment> replay_segments(const rl::SegmentedRows& replay);

// Completes a replay after its load(). Throws Error if a segment is missing.
void load_replay_segments(const store::Loaded& checkpoint, rl::SegmentedRows& replay);

// The same within a state other than a checkpoint's.
void save_segments(const rl::SegmentedRows& replay, StateWriter& out);
void load_segments(const StateReader& in, rl::SegmentedRows& replay);

}  // namespace tarl::train
