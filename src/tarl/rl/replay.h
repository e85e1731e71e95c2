// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "tarl/core/rng.h"
#include "tarl/core/state.h"
#include "tarl/rl/batch.h"

namespace tarl::rl {

struct Sample {
  std::vector<std::int64_t> index;  // [rows] slots drawn, with replacement
  std::vector<float> weight;        // [rows] raw importance weights (N P(i))^-beta; 1 for uniform
  Batch batch;
};

// Numbers [first, last) of sealed segments.
struct SegmentRange {
  std::int64_t first = 0;
  std::int64_t last = 0;
};

// A large replay is saved in segments of rows [first, last) that no longer change, numbered as they
// fill. A segment is sealed from its last row's arrival until that row is dropped; a checkpoint
// needs all sealed segments, and reuses those saved before.
class SegmentedRows {
 public:
  virtual ~SegmentedRows() = default;
  virtual SegmentRange sealed() const = 0;  // none if there are few rows
  virtual void save_segment(std::int64_t segment,
                            StateWriter& out) const = 0;  // its remaining rows

  // After everything else has been loaded.
  virtual void load_segment(const StateReader& in) = 0;
};

// Stored transitions. Draws i.i.d. with replacement over the filled slots.
class Replay : public SegmentedRows {
 public:
  virtual std::int64_t size() const = 0;
  virtual std::int64_t capacity() const = 0;
  virtual std::size_t memory_bytes() const = 0;
  virtual void add(const Transition& transition) = 0;

  // The episode of a lane does not continue: its last transition was truncated.
  virtual void truncate(int lane) = 0;

  // Fills `out` with `rows` transitions. `progress` in [0, 1] is the fraction of the run done, for
  // schedules. Requires size() > 0 and out.batch sized for at least that many rows.
  virtual void sample(int rows, double progress, Rng& rng, Sample& out) = 0;

  // New absolute errors |offline error| of every sampled row. Uniform replay ignores them.
  virtual void update_priorities(const Sample& sample, std::span<const float> abs_error) = 0;

  // Called by the learner after a hard target sync (used by alignment-prioritized replay).
  virtual void on_target_sync() {}

  // Everything but the sealed segments. load() is followed by load_segment() for each of them.
  virtual void save(StateWriter& out) const = 0;
  virtual void load(const StateReader& in) = 0;
};

}  // namespace tarl::rl
