// SPDX-License-Identifier: MIT
#include "tarl/replay/reaper.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace tarl::replay {

namespace {

constexpr std::int64_t kRows = PowerGroups::kRows;

}  // namespace

ReaperPriorities::ReaperPriorities(const Settings& settings, std::int64_t capacity, int lanes)
    : settings_(settings),
      lanes_(lanes),
      lane_rows_(capacity / lanes),
      least_power_(std::pow(kLeastReliability, settings.omega)),
      lane_(lanes),
      td_(capacity),
      entry_(capacity),
      powers_(capacity, settings.omega),
      sums_(capacity),
      tree_(powers_.groups()) {
  require(lanes > 0 && capacity % lanes == 0, "every lane needs the same share of the capacity");
}

double ReaperPriorities::weight_at(std::int64_t at) const {
  const PowerRow& row = powers_.row(at);
  if (row.factor == 0) return 0;  // not filled
  const Episode& episode = episode_at(at);
  if (!episode.finished) return row.value;
  const double shift = powers_.shift_of(at / kRows);
  const double cumulative = row.base + shift;
  if (cumulative >= episode.sum) return row.factor;
  if (cumulative < kLeastReliability * episode.sum) return row.factor * least_power_;
  const double value = shift == 0 ? row.value : powers_.value_after(row, shift);
  return value * episode.sum_power;
}

double ReaperPriorities::open_group_weight(std::int64_t group) const {
  const std::int64_t first = group * kRows;
  const std::int64_t last = std::min(first + kRows, lane_rows_ * lanes_);
  double sum = 0;
  for (std::int64_t at = first; at < last; ++at) sum += weight_at(at);
  return sum;
}

// Requires that `episode` has a transition in the group.
double ReaperPriorities::group_weight(std::int64_t group, const Episode& episode) const {
  // Where R is clamped to the least reliability, C no longer counts.
  if (powers_.closed(group) && powers_.smallest_base(group) >= kLeastReliability * episode.sum) {
    return powers_.sum(group) * episode.sum_power;
  }
  return open_group_weight(group);
}

template <class Visit>
void ReaperPriorities::for_each_span(std::int64_t lane, std::int64_t first, std::int64_t last,
                                     Visit visit) const {
  const std::int64_t end = (lane + 1) * lane_rows_;
  std::int64_t at = place(lane, first);
  while (first < last) {
    const std::int64_t group = at / kRows;
    const std::int64_t rows = std::min({last - first, end - at, (group + 1) * kRows - at});
    visit(Span{group, at, at + rows, first});
    first += rows;
    at = at + rows == end ? end - lane_rows_ : at + rows;
  }
}

// Updates the tree for an episode's transitions from `first` on.
void ReaperPriorities::refresh_tree(std::int64_t lane, std::int64_t first, const Episode& episode) {
  while (first < episode.end) {
    const std::int64_t at = place(lane, first);
    const std::int64_t run = std::min(episode.end - first, (lane + 1) * lane_rows_ - at);
    group_weights_.clear();
    for (std::int64_t group = at / kRows; group <= (at + run - 1) / kRows; ++group) {
      group_weights_.push_back(group_weight(group, episode));
    }
    tree_.set_range(at / kRows, group_weights_);
    first += run;
  }
}

void ReaperPriorities::drop_oldest(const Lane& lane, std::int64_t at) {
  powers_.open(at / kRows);
  const Episode& oldest = episode_at(at);
  if (oldest.finished && oldest.end - 1 == lane.arrived - lane_rows_) {
    free_entries_.push_back(entry_[at]);
  }
}

std::int64_t ReaperPriorities::start_episode(const Lane& lane) {
  if (free_entries_.empty()) {
    free_entries_.push_back(static_cast<std::uint32_t>(episode_.size()));
    episode_.emplace_back();
  }
  const std::uint32_t entry = free_entries_.back();
  free_entries_.pop_back();
  episode_[entry] = {episodes_++, lane.arrived, lane.arrived, 0, lane.arrived, 0, 1};
  return entry;
}

void ReaperPriorities::add(std::int64_t slot, bool done) {
  const std::int64_t lane_index = slot % lanes_;
  const std::int64_t at = position(slot);
  Lane& lane = lane_[lane_index];
  require(at == place(lane_index, lane.arrived), "slots must be added in turn");

  const bool goes_on = lane.running >= 0;
  const double before = goes_on ? powers_.row(place(lane_index, lane.arrived - 1)).base : 0;
  if (lane.arrived >= lane_rows_) drop_oldest(lane, at);
  if (!goes_on) lane.running = start_episode(lane);
  Episode& episode = episode_[lane.running];
  td_[at] = max_td_;
  entry_[at] = static_cast<std::uint32_t>(lane.running);
  const double factor = std::pow(max_td_, settings_.alpha);
  powers_.row(at) = {factor, before + max_td_, factor};
  sums_.set(at, max_sum_);
  episode.end = ++lane.arrived;
  if (done) {
    finish(lane_index, episode);
    lane.running = -1;
  } else {
    tree_.set(at / kRows, open_group_weight(at / kRows));
  }
}

void ReaperPriorities::finish(std::int64_t lane, Episode& episode) {
  const std::int64_t last = place(lane, episode.end - 1);
  const std::int64_t first_kept = std::max(episode.start, episode.end - lane_rows_);
  episode.finished = 1;
  episode.recomputed_end = episode.end;
  episode.sum = powers_.row(last).base;
  episode.sum_power = std::pow(episode.sum, -settings_.omega);
  for_each_span(lane, first_kept, episode.end, [&](const Span& span) {
    for (std::int64_t at = span.first; at < span.last; ++at) sums_.set(at, 0);
    powers_.refresh(span.first, span.last);
    if (span.last - span.first == kRows) powers_.close(span.group);
  });
  sums_.set(last, episode.sum);
  max_sum_ = std::max(max_sum_, sums_.largest());
  refresh_tree(lane, first_kept, episode);
}

// Sorts new errors by lane and transition and drops all but the first of each.
void ReaperPriorities::sort_changes(std::span<const std::int64_t> slots,
                                    std::span<const double> values) {
  changes_.clear();
  for (std::size_t i = 0; i < slots.size(); ++i) {
    const std::int64_t lane = slots[i] % lanes_;
    const std::int64_t newest = lane_[lane].arrived - 1;
    const std::int64_t index = slots[i] / lanes_;
    require(slots[i] >= 0 && index <= newest && index < lane_rows_, "the slot is not filled");
    const std::int64_t transition = newest - (newest - index) % lane_rows_;
    changes_.push_back({lane, transition, i, std::fabs(values[i]) + settings_.eps});
  }
  std::sort(changes_.begin(), changes_.end(), [](const Change& a, const Change& b) {
    if (a.lane != b.lane) return a.lane < b.lane;
    return a.transition != b.transition ? a.transition < b.transition : a.order < b.order;
  });
  const auto same = [](const Change& a, const Change& b) {
    return a.lane == b.lane && a.transition == b.transition;
  };
  changes_.erase(std::unique(changes_.begin(), changes_.end(), same), changes_.end());
}

void ReaperPriorities::update(std::span<const std::int64_t> slots, std::span<const double> values) {
  require(slots.size() == values.size(), "one error for each slot");
  require_finite(values);
  sort_changes(slots, values);
  const std::span<const Change> all = changes_;
  for (std::size_t first = 0; first < all.size();) {
    const std::int64_t lane = all[first].lane;
    const std::int64_t end = episode_at(place(lane, all[first].transition)).end;
    std::size_t last = first;
    while (last < all.size() && all[last].lane == lane && all[last].transition < end) ++last;
    touch(all.subspan(first, last - first));
    first = last;
  }
  for (const Change& change : all) max_td_ = std::max(max_td_, change.td);
  if (!all.empty()) max_sum_ = sums_.largest();
}

// New errors of one episode.
void ReaperPriorities::touch(std::span<const Change> changes) {
  const std::int64_t lane = changes.front().lane;
  Episode& episode = episode_[entry_[place(lane, changes.front().transition)]];
  if (episode.finished) {
    for (const Change& change : changes) {
      episode.sum += change.td - td_[place(lane, change.transition)];
    }
    // A sum of positive errors; only rounding of enormous ones could make it smaller.
    episode.sum = std::max(episode.sum, std::numeric_limits<double>::min());
    episode.sum_power = std::pow(episode.sum, -settings_.omega);
    sums_.set(place(lane, episode.end - 1), episode.sum);
  }
  const std::int64_t first_kept = std::max(episode.start, lane_[lane].arrived - lane_rows_);
  double shift = 0;
  for_each_span(lane, first_kept, episode.end,
                [&](const Span& span) { shift = touch_span(span, episode, changes, shift); });
  episode.recomputed_end = episode.end;
  refresh_tree(lane, first_kept, episode);
}

// Takes the changes of a span from `left` and returns by how much C changes after it.
double ReaperPriorities::touch_span(const Span& span, const Episode& episode,
                                    std::span<const Change>& left, double shift) {
  const std::int64_t end = span.transition + span.last - span.first;
  const bool was_closed = powers_.closed(span.group);
  if (was_closed && (left.empty() || left.front().transition >= end)) {
    if (shift != 0) powers_.shift(span.group, shift);
    return shift;
  }
  powers_.open(span.group);
  std::int64_t transition = span.transition;
  for (std::int64_t at = span.first; at < span.last; ++at, ++transition) {
    if (!left.empty() && left.front().transition == transition) {
      shift += left.front().td - td_[at];
      change(at, left.front().td, shift, episode);
      left = left.subspan(1);
    } else if (shift != 0 || transition >= episode.recomputed_end) {
      move(at, shift, episode);
    }
  }
  if (was_closed) powers_.close(span.group);
  return shift;
}

void ReaperPriorities::change(std::int64_t at, double td, double shift, const Episode& episode) {
  td_[at] = td;
  PowerRow& row = powers_.row(at);
  row.factor = std::pow(td, settings_.alpha);
  row.base += shift;
  row.value = row.factor * powers_.power(episode.finished ? row.base : running_reliability(at));
}

void ReaperPriorities::move(std::int64_t at, double shift, const Episode& episode) {
  PowerRow& row = powers_.row(at);
  if (episode.finished) row.value = powers_.value_after(row, shift);
  row.base += shift;
  if (!episode.finished) row.value = row.factor * powers_.power(running_reliability(at));
}

double ReaperPriorities::running_reliability(std::int64_t at) const {
  return reliability(powers_.row(at).base, sums_.value(at));
}

Priorities::Found ReaperPriorities::find(double mass) const {
  const SumTree::Found group = tree_.find(mass);
  const std::int64_t first = group.leaf * kRows;
  const std::int64_t last = std::min(first + kRows, lane_rows_ * lanes_);
  double before = 0;
  std::int64_t found = first;
  double found_weight = 0;
  for (std::int64_t at = first; at < last; ++at) {
    const double weight = weight_at(at);
    if (weight > 0) {
      found = at;
      found_weight = weight;
    }
    before += weight;
    if (before > group.rest) break;
  }
  return {slot_at(found), found_weight};
}

std::size_t ReaperPriorities::memory_bytes() const {
  return td_.bytes() + entry_.bytes() + powers_.memory_bytes() + sums_.memory_bytes() +
         tree_.memory_bytes() + episode_.size() * sizeof(Episode);
}

ReaperState ReaperPriorities::state() const {
  const std::span<const double> weights = tree_.leaf_values(tree_.leaves());
  ReaperState state{.group = powers_.groups_as_stored(),
                    .group_weight = {weights.begin(), weights.end()},
                    .episode = episode_,
                    .free_entries = free_entries_,
                    .lane = lane_,
                    .max_td = max_td_,
                    .max_sum = max_sum_,
                    .episodes = episodes_};
  std::int64_t filled = 0;
  for (const Lane& lane : lane_) filled += std::min(lane.arrived, lane_rows_);
  for (std::int64_t slot = 0; slot < filled; ++slot) {
    const std::int64_t at = position(slot);
    state.td.push_back(td_[at]);
    state.sum.push_back(sums_.value(at));
    state.entry.push_back(entry_[at]);
    state.row.push_back(powers_.row(at));
  }
  return state;
}

void ReaperPriorities::save(StateWriter& out) const {
  state().save(out);
}

void ReaperPriorities::load(const StateReader& in) {
  ReaperState state = ReaperState::load(in, lane_rows_ * lanes_, lanes_);
  ReaperPriorities fresh(settings_, lane_rows_ * lanes_, lanes_);
  for (std::size_t slot = 0; slot < state.td.size(); ++slot) {
    const std::int64_t at = position(static_cast<std::int64_t>(slot));
    fresh.td_[at] = state.td[slot];
    fresh.sums_.set(at, state.sum[slot]);
    fresh.entry_[at] = state.entry[slot];
    fresh.powers_.row(at) = state.row[slot];
  }
  fresh.powers_.set_groups(std::move(state.group));
  fresh.tree_.set_range(0, state.group_weight);
  fresh.lane_ = std::move(state.lane);
  fresh.episode_ = std::move(state.episode);
  fresh.free_entries_ = std::move(state.free_entries);
  fresh.max_td_ = state.max_td;
  fresh.max_sum_ = state.max_sum;
  fresh.episodes_ = state.episodes;
  *this = std::move(fresh);
}

ReaperPriorities::Details ReaperPriorities::details(std::int64_t slot) const {
  const std::int64_t at = position(slot);
  const Episode& episode = episode_at(at);
  const std::int64_t newest = lane_[slot % lanes_].arrived - 1;
  const std::int64_t transition = newest - (newest - slot / lanes_) % lane_rows_;
  const double cumulative = powers_.row(at).base + powers_.shift_of(at / kRows);
  const double sum = episode.finished ? episode.sum : sums_.value(at);
  return {td_[at],
          cumulative,
          sum,
          reliability(cumulative, sum),
          episode.number,
          transition - episode.start + 1};
}

}  // namespace tarl::replay
