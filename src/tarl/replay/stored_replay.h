// SPDX-License-Identifier: MIT
#pragma once

#include <utility>

#include "tarl/replay/storage.h"
#include "tarl/rl/replay.h"

namespace tarl::replay {

// How a sampled transition looks ahead.
struct Lookahead {
  int n_steps = 1;
  double gamma = 0.99;
};

// A replay over one storage, which provides its rows and segments.
class StoredReplay : public rl::Replay {
 public:
  std::int64_t size() const override { return storage_.size(); }

  std::int64_t capacity() const override { return storage_.capacity(); }

  void truncate(int lane) override { storage_.truncate(lane); }

  rl::SegmentRange sealed() const override { return storage_.sealed(); }

  void save_segment(std::int64_t segment, StateWriter& out) const override {
    storage_.save_segment(segment, out);
  }

  void load_segment(const StateReader& in) override { storage_.load_segment(in); }

 protected:
  explicit StoredReplay(Storage storage) : storage_(std::move(storage)) {}

  Storage storage_;
};

}  // namespace tarl::replay
