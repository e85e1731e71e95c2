// SPDX-License-Identifier: MIT
#pragma once

#include <cuda_runtime.h>

#include "tarl/fleet/pixel_dqn/cuda/view.cuh"

namespace tarl::fleet::pixel_dqn {

// The sizes that determine the number of blocks of each kernel: the largest of all agents in a
// wave.
struct WaveSize {
  WaveSize() = default;
  // Of one agent.
  WaveSize(const AgentView& view, const int (&tiles_of)[kPhases], const Item& item);

  void join(const WaveSize& other);

  int items = 0;
  int staged = 0;        // frames
  int act_blocks = 0;    // of pixels in the observations acted on
  int candidates = 0;    // rows
  int frame_room = 0;    // bytes of the frames of a row
  int kept_numbers = 0;  // of tables
  int parts = 0;         // gradients computed in parts
  int parameters = 0, chunks = 0;
  int synced = 0;  // parameters of targets
  int tiles[kPhases] = {};
};

// Launch the kernels on a stream, in order. `items` is in device memory.
cudaError_t launch_updates(const Item* items, const WaveSize& size, cudaStream_t stream);
cudaError_t launch_acts(const Item* items, const WaveSize& size, cudaStream_t stream);
cudaError_t launch_stores(const Item* items, const WaveSize& size, cudaStream_t stream);

}  // namespace tarl::fleet::pixel_dqn
