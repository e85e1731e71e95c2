// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <vector>

#include "tarl/replay/max_tree.h"
#include "tarl/replay/memory.h"
#include "tarl/replay/power_groups.h"
#include "tarl/replay/priorities.h"
#include "tarl/replay/reaper_state.h"
#include "tarl/replay/sum_tree.h"

namespace tarl::replay {

// Reliability-adjusted prioritisation (Pleiss, Sutter, Schiffer: ReaPER): weight td^alpha R^omega,
// where td = |error| + eps and R = C / S is the share of an episode's errors at or before a
// transition: C sums the td of its episode up to it, S those of the whole episode. While an episode
// runs, S stands for the largest sum known when the transition was stored, and R counts as 1 until
// a transition of the episode is drawn.
//
// One new error changes S for its whole episode and C for everything after it, hence every weight
// of the episode. S is kept once per finished episode; C is shifted for whole groups of transitions
// (PowerGroups), so that an update costs O(episode / 32).
//
// Each lane has its own lane_rows_ positions, in which an episode's transitions are adjacent
// (modulo lane_rows_). With one lane, positions are slots.
class ReaperPriorities final : public Priorities {
 public:
  struct Settings {
    double alpha = 0.4;
    double omega = 0.2;
    double eps = 1e-6;
  };

  // Requires capacity to be a multiple of lanes.
  ReaperPriorities(const Settings& settings, std::int64_t capacity, int lanes);

  static constexpr double kBytesPerSlot = 46 + PowerGroups::kBytesPerRow;  // at most

  void add(std::int64_t slot, bool done) override;

  // If a slot is given twice, the first value counts.
  void update(std::span<const std::int64_t> slots, std::span<const double> values) override;

  double total() const override { return tree_.total(); }

  double weight(std::int64_t slot) const override { return weight_at(position(slot)); }

  Found find(double mass) const override;
  std::size_t memory_bytes() const override;
  void save(StateWriter& out) const override;
  void load(const StateReader& in) override;

  // The data of one transition, for tests.
  struct Details {
    double td, cumulative, sum, reliability;
    std::int64_t episode;   // from 0
    std::int64_t timestep;  // from 1 in each episode
  };

  Details details(std::int64_t slot) const;

  double max_td() const { return max_td_; }

  double max_sum() const { return max_sum_; }

 private:
  using Episode = ReaperEpisode;
  using Lane = ReaperLane;

  struct Change {
    std::int64_t lane, transition;
    std::size_t order;
    double td;
  };

  // Neighbouring positions [first, last) inside one group, and the transition at `first`.
  struct Span {
    std::int64_t group, first, last, transition;
  };

  std::int64_t position(std::int64_t slot) const {
    return slot % lanes_ * lane_rows_ + slot / lanes_;
  }

  std::int64_t slot_at(std::int64_t at) const { return at % lane_rows_ * lanes_ + at / lane_rows_; }

  std::int64_t place(std::int64_t lane, std::int64_t transition) const {
    return lane * lane_rows_ + transition % lane_rows_;
  }

  const Episode& episode_at(std::int64_t at) const { return episode_[entry_[at]]; }

  double weight_at(std::int64_t at) const;
  double running_reliability(std::int64_t at) const;
  double open_group_weight(std::int64_t group) const;
  double group_weight(std::int64_t group, const Episode& episode) const;

  void drop_oldest(const Lane& lane, std::int64_t at);
  std::int64_t start_episode(const Lane& lane);
  void finish(std::int64_t lane, Episode& episode);
  void touch(std::span<const Change> changes);
  double touch_span(const Span& span, const Episode& episode, std::span<const Change>& left,
                    double shift);
  void change(std::int64_t at, double td, double shift, const Episode& episode);
  void move(std::int64_t at, double shift, const Episode& episode);

  // Calls visit(span) for each span of a lane's transitions [first, last), in order.
  template <class Visit>
  void for_each_span(std::int64_t lane, std::int64_t first, std::int64_t last, Visit visit) const;
  void refresh_tree(std::int64_t lane, std::int64_t first, const Episode& episode);
  ReaperState state() const;
  void sort_changes(std::span<const std::int64_t> slots, std::span<const double> values);

  Settings settings_;
  int lanes_;
  std::int64_t lane_rows_;  // positions of a lane
  double least_power_;      // kLeastReliability to the power omega
  double max_td_ = 1;
  double max_sum_ = 1;
  std::int64_t episodes_ = 0;  // started so far
  std::vector<Lane> lane_;
  std::vector<Episode> episode_;             // those with a transition in the buffer, and
  std::vector<std::uint32_t> free_entries_;  // entries that no longer have one
  ZeroedArray<double> td_;                   // [position]
  ZeroedArray<std::uint32_t> entry_;         // [position] its episode's
  PowerGroups powers_;  // [position] td^alpha * C^omega; while the episode runs, the whole weight
  MaxTree sums_;        // [position] S: of running transitions; of finished episodes at their last
  SumTree tree_;        // [group] weights
  std::vector<Change> changes_;        // scratch of update
  std::vector<double> group_weights_;  // scratch of refresh_tree
};

}  // namespace tarl::replay
