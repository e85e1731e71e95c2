// SPDX-License-Identifier: MIT
#pragma once

#include <cuda_runtime.h>

#include "tarl/fleet/actor_critic/cuda/view.cuh"

namespace tarl::fleet::actor_critic {

// The sizes that determine the number of blocks of each kernel: the largest of all agents in a
// wave.
struct WaveSize {
  WaveSize() = default;
  // Of one agent.
  WaveSize(const AgentView& view, const int (&tiles_of)[kPhases], int staged_rows);

  void join(const WaveSize& other);

  int items = 0;
  int staged = 0;      // rows
  int candidates = 0;  // rows
  int batch = 0;       // rows
  int parameters = 0;  // of the larger group
  int tiles[kPhases] = {};
};

// Launch the kernels on a stream, in order. `items` is in device memory.
cudaError_t launch_updates(const Item* items, const WaveSize& size, cudaStream_t stream);
cudaError_t launch_acts(const Item* items, const WaveSize& size, cudaStream_t stream);
cudaError_t launch_stores(const Item* items, const WaveSize& size, cudaStream_t stream);

}  // namespace tarl::fleet::actor_critic
