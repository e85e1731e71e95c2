// SPDX-License-Identifier: MIT
#pragma once

#include "tarl/replay/storage.h"
#include "tarl/rl/replay.h"

namespace tarl::replay {

// How a sampled transition looks ahead.
struct Lookahead {
  int n_steps = 1;
  double gamma = 0.99;
};

// Every transition is as likely as every other.
class UniformReplay final : public rl::Replay {
 public:
  UniformReplay(Storage storage, const Lookahead& lookahead);

  std::int64_t size() const override { return storage_.size(); }

  std::int64_t capacity() const override { return storage_.capacity(); }

  std::size_t memory_bytes() const override { return storage_.memory_bytes(); }

  void add(const rl::Transition& transition) override { storage_.add(transition); }

  void sample(int rows, double progress, Rng& rng, rl::Sample& out) override;

  void update_priorities(const rl::Sample&, std::span<const float>) override {}

  rl::SegmentRange sealed() const override { return storage_.sealed(); }

  void save_segment(std::int64_t segment, StateWriter& out) const override {
    storage_.save_segment(segment, out);
  }

  void save(StateWriter& out) const override;
  void load(const StateReader& in) override;

  void load_segment(const StateReader& in) override { storage_.load_segment(in); }

 private:
  Storage storage_;
  Lookahead lookahead_;
};

}  // namespace tarl::replay
