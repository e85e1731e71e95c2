// SPDX-License-Identifier: MIT
#include "tarl/replay/reaper_state.h"

#include <algorithm>
#include <span>

namespace tarl::replay {

void ReaperState::save(StateWriter& out) const {
  out.put("td", td);
  out.put("sum", sum);
  out.put("entry", entry);
  out.put("row", std::as_bytes(std::span(row)));
  out.put("blocks", std::as_bytes(std::span(group)));
  out.put("block_weight", group_weight);
  out.put("max_td", max_td);
  out.put("max_sum", max_sum);
  out.put("lane", std::as_bytes(std::span(lane)));
  out.put("episode", std::as_bytes(std::span(episode)));
  out.put("free_entries", free_entries);
  out.put("episodes", episodes);
}

ReaperState ReaperState::load(const StateReader& in, std::int64_t capacity, int lanes) {
  ReaperState state;
  state.lane.resize(static_cast<std::size_t>(lanes));
  in.get("lane", std::as_writable_bytes(std::span(state.lane)));
  state.episode.resize(in.get_vector<std::byte>("episode").size() / sizeof(ReaperEpisode));
  in.get("episode", std::as_writable_bytes(std::span(state.episode)));
  state.free_entries = in.get_vector<std::uint32_t>("free_entries");

  std::int64_t filled = 0;
  bool sound = true;
  for (const ReaperLane& one : state.lane) {
    filled += std::clamp<std::int64_t>(one.arrived, 0, capacity / lanes);
    sound = sound && one.running >= -1 && one.running < std::ssize(state.episode);
  }
  const auto slots = static_cast<std::size_t>(filled);
  state.td.resize(slots);
  state.sum.resize(slots);
  state.entry.resize(slots);
  state.row.resize(slots);
  in.get("td", state.td);
  in.get("sum", state.sum);
  in.get("entry", state.entry);
  in.get("row", std::as_writable_bytes(std::span(state.row)));
  for (const std::uint32_t entry : state.entry) sound = sound && entry < state.episode.size();
  if (!sound) throw Error("the saved ReaPER priorities are damaged: an episode is missing");

  const auto groups = static_cast<std::size_t>((capacity + kPowerRows - 1) / kPowerRows);
  state.group.resize(groups);
  state.group_weight.resize(groups);
  in.get("blocks", std::as_writable_bytes(std::span(state.group)));
  in.get("block_weight", state.group_weight);
  in.get("max_td", state.max_td);
  in.get("max_sum", state.max_sum);
  in.get("episodes", state.episodes);
  return state;
}

}  // namespace tarl::replay
