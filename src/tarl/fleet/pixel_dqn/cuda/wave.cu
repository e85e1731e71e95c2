// SPDX-License-Identifier: MIT
#include <algorithm>
#include <initializer_list>

#include "tarl/fleet/cuda/waves/launches.cuh"
#include "tarl/fleet/pixel_dqn/cuda/select.cuh"
#include "tarl/fleet/pixel_dqn/cuda/step.cuh"
#include "tarl/fleet/pixel_dqn/cuda/wave.h"

namespace tarl::fleet::pixel_dqn {

namespace {

constexpr Phase kActs[] = {Phase::kActConv1, Phase::kActConv2, Phase::kActConv3, Phase::kActHidden,
                           Phase::kActHead};
constexpr Phase kForward[] = {Phase::kConv1, Phase::kConv2, Phase::kConv3, Phase::kHidden,
                              Phase::kHead};
constexpr Phase kBackward[] = {Phase::kBackHidden, Phase::kBackFeatures, Phase::kBackConv3,
                               Phase::kBackConv2,  Phase::kWeights,      Phase::kBiases};

}  // namespace

WaveSize::WaveSize(const AgentView& view, const int (&tiles_of)[kPhases], const Item& item)
    : items(1),
      staged(item.staged),
      act_blocks(item.act_rows * view.stack * view.blocks()),
      candidates(view.candidates),
      frame_room((view.stack + 1) * view.frame_bytes()),
      kept_numbers(pixel_dqn::kept_numbers(view)),
      parts(numbers_in_parts(view)),
      parameters(view.size),
      chunks(view.chunks),
      synced(item.syncs > 0 ? view.size : 0) {
  std::ranges::copy(tiles_of, tiles);
}

void WaveSize::join(const WaveSize& other) {
  items += other.items;
  staged = std::max(staged, other.staged);
  act_blocks = std::max(act_blocks, other.act_blocks);
  candidates = std::max(candidates, other.candidates);
  frame_room = std::max(frame_room, other.frame_room);
  kept_numbers = std::max(kept_numbers, other.kept_numbers);
  parts = std::max(parts, other.parts);
  parameters = std::max(parameters, other.parameters);
  chunks = std::max(chunks, other.chunks);
  synced = std::max(synced, other.synced);
  for (int i = 0; i < kPhases; ++i) tiles[i] = std::max(tiles[i], other.tiles[i]);
}

cudaError_t launch_stores(const Item* items, const WaveSize& size, cudaStream_t stream) {
  Launches wave(items, size.items, stream);
  wave.rows(store_frames, size.staged);
  wave.numbers(sync_target, size.synced);
  return wave.result;
}

cudaError_t launch_acts(const Item* items, const WaveSize& size, cudaStream_t stream) {
  Launches wave(items, size.items, stream);
  wave.numbers(load_observations, size.act_blocks);
  for (const Phase phase : kActs) wave.products(phase, size.tiles);
  return wave.result;
}

cudaError_t launch_updates(const Item* items, const WaveSize& size, cudaStream_t stream) {
  Launches wave(items, size.items, stream);
  wave.rows(store_frames, size.staged);
  wave.numbers(sync_target, size.synced);
  wave.run(unpack_rows, size.candidates, static_cast<std::size_t>(size.frame_room),
           size.candidates);
  for (const Phase phase : kForward) wave.products(phase, size.tiles);
  wave.run(select_rows, 1, sizeof(SelectRoom));
  wave.numbers(list_kept, size.kept_numbers);
  for (const Phase phase : kBackward) wave.products(phase, size.tiles);
  wave.numbers(add_parts, size.parts);
  const int each = blocks_for(size.chunks, kChunksOfBlock);
  wave.run(square_chunks, each, kBlockThreads * sizeof(float), each);
  wave.run(finish_norm, 1, 0);
  wave.numbers(step_parameters, size.parameters);
  return wave.result;
}

}  // namespace tarl::fleet::pixel_dqn
