// SPDX-License-Identifier: MIT
//
// Saving and loading of ReaperPriorities: every number as it is, for sums depend on their history.
#include <algorithm>
#include <string>

#include "tarl/replay/reaper.h"

namespace tarl::replay {

std::size_t ReaperPriorities::memory_bytes() const {
  return td_.bytes() + entry_.bytes() + powers_.memory_bytes() + sums_.memory_bytes() +
         tree_.memory_bytes() + episode_.size() * sizeof(Episode);
}

void ReaperPriorities::save(StateWriter& out) const {
  std::int64_t filled = 0;
  for (const Lane& lane : lane_) filled += std::min(lane.arrived, stretch_);
  std::vector<double> td, sum;
  std::vector<std::uint32_t> entry;
  std::vector<PowerBlocks::Row> row;
  for (std::int64_t slot = 0; slot < filled; ++slot) {
    const std::int64_t at = position(slot);
    td.push_back(td_[at]);
    sum.push_back(sums_.value(at));
    entry.push_back(entry_[at]);
    row.push_back(powers_.row(at));
  }
  out.put("td", td);
  out.put("sum", sum);
  out.put("entry", entry);
  out.put("row", std::as_bytes(std::span(row)));
  powers_.save_blocks(out);
  out.put("block_weight", tree_.leaf_values(tree_.leaves()));
  out.put("max_td", max_td_);
  out.put("max_sum", max_sum_);
  out.put("lane", std::as_bytes(std::span(lane_)));
  out.put("episode", std::as_bytes(std::span(episode_)));
  out.put("free_entries", free_entries_);
  out.put("episodes", episodes_);
}

// The books of the first `filled` slots; false when a transition has no episode.
bool ReaperPriorities::load_transitions(const StateReader& in, std::int64_t filled) {
  std::vector<double> td(filled), sum(filled);
  std::vector<std::uint32_t> entry(filled);
  std::vector<PowerBlocks::Row> row(filled);
  in.get("td", td);
  in.get("sum", sum);
  in.get("entry", entry);
  in.get("row", std::as_writable_bytes(std::span(row)));
  bool sound = true;
  for (std::int64_t slot = 0; slot < filled; ++slot) {
    const std::int64_t at = position(slot);
    td_[at] = td[slot];
    sums_.set(at, sum[slot]);
    entry_[at] = entry[slot];
    powers_.row(at) = row[slot];
    sound = sound && entry[slot] < episode_.size();
  }
  return sound;
}

void ReaperPriorities::load(const StateReader& in) {
  ReaperPriorities fresh(settings_, stretch_ * lanes_, lanes_);
  in.get("lane", std::as_writable_bytes(std::span(fresh.lane_)));
  fresh.episode_.resize(in.get_vector<std::byte>("episode").size() / sizeof(Episode));
  in.get("episode", std::as_writable_bytes(std::span(fresh.episode_)));
  fresh.free_entries_ = in.get_vector<std::uint32_t>("free_entries");
  std::int64_t filled = 0;
  bool sound = true;
  for (const Lane& lane : fresh.lane_) {
    filled += std::clamp<std::int64_t>(lane.arrived, 0, stretch_);
    sound = sound && lane.running >= -1 && lane.running < std::ssize(fresh.episode_);
  }
  sound = fresh.load_transitions(in, filled) && sound;
  if (!sound) throw Error("the saved ReaPER priorities are damaged: an episode is missing");
  fresh.powers_.load_blocks(in);
  std::vector<double> block_weight(tree_.leaves());
  in.get("block_weight", block_weight);
  fresh.tree_.set_range(0, block_weight);
  in.get("max_td", fresh.max_td_);
  in.get("max_sum", fresh.max_sum_);
  in.get("episodes", fresh.episodes_);
  *this = std::move(fresh);
}

}  // namespace tarl::replay
