// SPDX-License-Identifier: MIT
#include <algorithm>
#include <bit>

#include "tarl/fleet/cuda/agent_arrays.cuh"
#include "tarl/fleet/cuda/device_memory.cuh"

namespace tarl::fleet {

namespace {

std::int64_t blocks_of(const AgentSpec& spec) {
  return (spec.capacity + 31) / 32;
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

// Parents are sums of neighbours in the order of a binary tree.
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

void upload_reaper(const AgentSpec& spec, const AgentImage& image, const ReaperView& view) {
  std::vector<double> largest(static_cast<std::size_t>(blocks_of(spec)));
  for (std::size_t i = 0; i < image.sum.size(); ++i) {
    largest[i / 32] = std::max(largest[i / 32], image.sum[i]);
  }
  upload(image.td, view.td);
  upload(image.sum, view.sum);
  upload(largest, view.sum_max);
  upload(image.entry, view.entry);
  upload(image.row, view.row);
  upload(image.block, view.block);
  upload(image.episode, view.episode);
  upload(image.free_entries, view.free_entries);
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
  } else if (spec.replay == ReplayKind::kReaper) {
    reserve_levels(blocks_of(spec), memory, view.tree);
    memory.reserve(view.reaper.td, spec.capacity);
    memory.reserve(view.reaper.sum, blocks_of(spec) * 32);
    memory.reserve(view.reaper.sum_max, blocks_of(spec));
    memory.reserve(view.reaper.entry, blocks_of(spec) * 32);
    memory.reserve(view.reaper.row, blocks_of(spec) * 32);
    memory.reserve(view.reaper.block, blocks_of(spec));
    // Each episode in the buffer has a transition there, and one may just be starting.
    memory.reserve(view.reaper.episode, spec.capacity + 1);
    memory.reserve(view.reaper.free_entries, spec.capacity + 1);
  }
}

void upload_arrays(const AgentSpec& spec, const DeviceOptions& options, const AgentImage& image,
                   const AgentView& view) {
  upload(options.eval_keys, const_cast<std::uint64_t*>(view.eval_keys));
  upload(image.frames, view.frames);
  upload(image.action, view.action);
  upload(image.reward, view.reward);
  upload(image.flags, view.flags);
  if (spec.replay == ReplayKind::kPer) {
    upload(image.priority, view.priority);
    upload_levels(image.weight, view.tree);
  } else if (spec.replay == ReplayKind::kReaper) {
    upload_levels(image.block_weight, view.tree);
    upload_reaper(spec, image, view.reaper);
  }
}

void download_arrays(const AgentSpec& spec, const AgentView& view, AgentImage& image) {
  const std::int64_t filled = image.filled(spec);
  image.frames = downloaded(view.frames, filled * spec.obs_bytes);
  image.action = downloaded(view.action, filled);
  image.reward = downloaded(view.reward, filled);
  image.flags = downloaded(view.flags, filled);
  if (spec.replay == ReplayKind::kPer) {
    image.priority = downloaded(view.priority, filled);
    image.weight = downloaded(view.tree.level[0], filled);
  } else if (spec.replay == ReplayKind::kReaper) {
    image.td = downloaded(view.reaper.td, filled);
    image.sum = downloaded(view.reaper.sum, filled);
    image.entry = downloaded(view.reaper.entry, filled);
    image.row = downloaded(view.reaper.row, filled);
    image.block = downloaded(view.reaper.block, blocks_of(spec));
    image.block_weight = downloaded(view.tree.level[0], blocks_of(spec));
    image.episode = downloaded(view.reaper.episode, image.head.entries);
    image.free_entries = downloaded(view.reaper.free_entries, image.head.free_entries);
  }
}

}  // namespace tarl::fleet
