// SPDX-License-Identifier: MIT
#pragma once

#include "tarl/replay/stored_replay.h"

namespace tarl::replay {

// Every transition is equally likely.
class UniformReplay final : public StoredReplay {
 public:
  UniformReplay(Storage storage, const Lookahead& lookahead);

  std::size_t memory_bytes() const override { return storage_.memory_bytes(); }

  void add(const rl::Transition& transition) override { storage_.add(transition); }

  void sample(int rows, double progress, Rng& rng, rl::Sample& out) override;

  void update_priorities(const rl::Sample&, std::span<const float>) override {}

  void save(StateWriter& out) const override;
  void load(const StateReader& in) override;

 private:
  Lookahead lookahead_;
};

}  // namespace tarl::replay
