// SPDX-License-Identifier: MIT
#pragma once

#include <memory>
#include <vector>

#include "tarl/replay/draw.h"
#include "tarl/replay/priorities.h"
#include "tarl/replay/stored_replay.h"
#include "tarl/rl/replay.h"

namespace tarl::replay {

// A storage sampled by priorities, with importance weights.
class PrioritizedReplay final : public StoredReplay {
 public:
  struct Settings {
    Lookahead lookahead;
    Draw draw = Draw::kIndependent;
    double beta = 0.4;  // at the start; 1 at the end of the run
  };

  // Requires priorities made for the storage's capacity and lanes.
  PrioritizedReplay(Storage storage, std::unique_ptr<Priorities> priorities,
                    const Settings& settings);

  std::size_t memory_bytes() const override;
  void add(const rl::Transition& transition) override;
  void sample(int rows, double progress, Rng& rng, rl::Sample& out) override;
  void update_priorities(const rl::Sample& sample, std::span<const float> abs_error) override;

  void on_target_sync() override { priorities_->on_target_sync(); }

  void save(StateWriter& out) const override;
  void load(const StateReader& in) override;

  const Priorities& priorities() const { return *priorities_; }

 private:
  std::unique_ptr<Priorities> priorities_;
  Settings settings_;
  std::vector<double> scratch_;
};

}  // namespace tarl::replay
