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

// Rows that are saved in segments where there are many: [first, last) that no longer change,
// numbered as they fill. A segment is sealed from its last row's arrival until that row is dropped;
// a checkpoint needs all sealed segments, and one that was saved before serves again.
class SegmentedRows {
 public:
  virtual ~SegmentedRows() = default;
  virtual SegmentRange sealed() const = 0;  // none where there are few
  virtual void save_segment(std::int64_t segment,
                            StateWriter& out) const = 0;  // what is left of it

  // After everything else was loaded.
  virtual void load_segment(const StateReader& in) = 0;
};

// Memory of transitions. Draws i.i.d. with replacement over the filled slots.
class Replay : public SegmentedRows {
 public:
  virtual std::int64_t size() const = 0;
  virtual std::int64_t capacity() const = 0;
  virtual std::size_t memory_bytes() const = 0;
  virtual void add(const Transition& transition) = 0;

  // The episode of a lane does not go on: the last transition added of it was truncated.
  virtual void truncate(int lane) = 0;

  // Fills `out` with `rows` transitions. `progress` in [0, 1] is the share of the run done, for
  // schedules. Requires size() > 0 and out.batch made for at least that many rows.
  virtual void sample(int rows, double progress, Rng& rng, Sample& out) = 0;

  // New absolute errors |offline error| of every sampled row. Uniform replay ignores them.
  virtual void update_priorities(const Sample& sample, std::span<const float> abs_error) = 0;

  // Called by the learner after a hard target sync (used by alignment-prioritized replay).
  virtual void on_target_sync() {}

  // Everything but the sealed segments. After load() comes load_segment() for each of them.
  virtual void save(StateWriter& out) const = 0;
  virtual void load(const StateReader& in) = 0;
};

}  // namespace tarl::rl
