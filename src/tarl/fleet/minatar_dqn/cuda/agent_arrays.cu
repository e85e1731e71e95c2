// SPDX-License-Identifier: MIT
#include <algorithm>
#include <bit>

#include "tarl/fleet/cuda/device_memory.cuh"
#include "tarl/fleet/minatar_dqn/cuda/agent_arrays.cuh"

namespace tarl::fleet {

namespace {

using replay::kPowerRows;

std::int64_t groups_of(const AgentSpec& spec) {
  return (spec.capacity + kPowerRows - 1) / kPowerRows;
}

void reserve_levels(std::int64_t leaves, DeviceMemory& memory, SumLevels& tree) {
  auto count = static_cast<std::int32_t>(std::bit_ceil(static_cast<std::uint32_t>(leaves)));
  while (true) {
    tree.count[tree.levels] = count;
    memory.reserve(tree.level[tree.levels], std::max(count, 32));
    if (tree.levels == 0 || count > kNearValues) tree.near = tree.levels + 1;
    ++tree.levels;
    if (count <= 32) return;
    count /= 32;
  }
}

// Sums of neighbours, added in the order of a binary tree.
std::vector<double> parents_of(std::vector<double> values, std::int64_t count) {
  while (static_cast<std::int64_t>(values.size()) > count) {
    for (std::size_t i = 0; i < values.size() / 2; ++i) {
      values[i] = values[2 * i] + values[2 * i + 1];
    }
    values.resize(values.size() / 2);
  }
  return values;
}

void upload_levels(std::vector<double> leaves, const SumLevels& tree) {
  leaves.resize(static_cast<std::size_t>(tree.count[0]));
  for (int l = 0; l < tree.levels; ++l) {
    if (l > 0) leaves = parents_of(std::move(leaves), tree.count[l]);
    upload(leaves, tree.level[l]);
  }
}

void upload_reaper(const replay::ReaperState& state, const ReaperView& view) {
  std::vector<double> largest(state.group.size());
  for (std::size_t i = 0; i < state.sum.size(); ++i) {
    largest[i / kPowerRows] = std::max(largest[i / kPowerRows], state.sum[i]);
  }
  upload(state.td, view.td);
  upload(state.sum, view.sum);
  upload(largest, view.sum_max);
  upload(state.entry, view.entry);
  upload(state.row, view.row);
  upload(state.group, view.group);
  upload(state.episode, view.episode);
  upload(state.free_entries, view.free_entries);
}

}  // namespace

void reserve_arrays(const AgentSpec& spec, const DeviceOptions& options, DeviceMemory& memory,
                    AgentView& view) {
  memory.reserve(view.eval, kMaxEvalEpisodes);
  memory.reserve(view.eval_keys, static_cast<std::int64_t>(options.eval_keys.size()));
  memory.reserve(view.record, 1);
  view.records_all = options.record ? 1 : 0;
  memory.reserve(view.frames, spec.capacity * spec.obs_bytes);
  memory.reserve(view.action, spec.capacity);
  memory.reserve(view.reward, spec.capacity);
  memory.reserve(view.flags, spec.capacity);
  if (spec.replay == ReplayKind::kPer) {
    memory.reserve(view.priority, spec.capacity);
    reserve_levels(spec.capacity, memory, view.tree);
  } else if (spec.replay == ReplayKind::kAlignment) {
    reserve_levels(spec.capacity, memory, view.tree);
  } else if (spec.replay == ReplayKind::kReaper) {
    reserve_levels(groups_of(spec), memory, view.tree);
    memory.reserve(view.reaper.td, spec.capacity);
    memory.reserve(view.reaper.sum, groups_of(spec) * kPowerRows);
    memory.reserve(view.reaper.sum_max, groups_of(spec));
    memory.reserve(view.reaper.entry, groups_of(spec) * kPowerRows);
    memory.reserve(view.reaper.row, groups_of(spec) * kPowerRows);
    memory.reserve(view.reaper.group, groups_of(spec));
    // An entry per episode in the buffer, of which each has at least one transition, plus one that
    // is just starting.
    memory.reserve(view.reaper.episode, spec.capacity + 1);
    memory.reserve(view.reaper.free_entries, spec.capacity + 1);
  }
}

void upload_arrays(const AgentSpec& spec, const DeviceOptions& options, const AgentImage& image,
                   const AgentView& view) {
  upload(options.eval_keys, const_cast<std::uint64_t*>(view.eval_keys));
  const replay::ConstStorageRows rows = image.storage.rows();
  upload(rows.frames, view.frames);
  upload(rows.action_index, view.action);
  upload(rows.reward, view.reward);
  upload(rows.flags, view.flags);
  if (spec.replay == ReplayKind::kPer) {
    upload(image.per.priority, view.priority);
    upload_levels(image.per.weight, view.tree);
  } else if (spec.replay == ReplayKind::kAlignment) {
    upload_levels(image.alignment.weight, view.tree);
  } else if (spec.replay == ReplayKind::kReaper) {
    upload_levels(image.reaper.group_weight, view.tree);
    upload_reaper(image.reaper, view.reaper);
  }
}

void download_arrays(const AgentSpec& spec, const AgentView& view, AgentImage& image) {
  const replay::StorageRows rows = image.storage.rows();
  const std::int64_t filled = image.storage.size();
  download(view.frames, rows.frames);
  download(view.action, rows.action_index);
  download(view.reward, rows.reward);
  download(view.flags, rows.flags);
  if (spec.replay == ReplayKind::kPer) {
    image.per.priority = downloaded(view.priority, filled);
    image.per.weight = downloaded(view.tree.level[0], filled);
  } else if (spec.replay == ReplayKind::kAlignment) {
    image.alignment.weight = downloaded(view.tree.level[0], filled);
  } else if (spec.replay == ReplayKind::kReaper) {
    replay::ReaperState& state = image.reaper;
    state.td = downloaded(view.reaper.td, filled);
    state.sum = downloaded(view.reaper.sum, filled);
    state.entry = downloaded(view.reaper.entry, filled);
    state.row = downloaded(view.reaper.row, filled);
    state.group = downloaded(view.reaper.group, groups_of(spec));
    state.group_weight = downloaded(view.tree.level[0], groups_of(spec));
    state.episode = downloaded(view.reaper.episode, image.state.entries);
    state.free_entries = downloaded(view.reaper.free_entries, image.state.free_entries);
  }
}

}  // namespace tarl::fleet
