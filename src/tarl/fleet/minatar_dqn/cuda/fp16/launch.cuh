// SPDX-License-Identifier: MIT
#pragma once

#include "tarl/fleet/minatar_dqn/cuda/agent_loop.cuh"
#include "tarl/fleet/minatar_dqn/cuda/fp16/net.cuh"
#include "tarl/fleet/minatar_dqn/cuda/kernels.cuh"

// The fp16 kernel for a given number of kept rows. Each is compiled in its own translation unit,
// since compilation is slow.
namespace tarl::fleet {

static_assert(AgentNet<Fp16Net<false, 32>> && AgentNet<Fp16Net<true, 64>>);
static_assert(sizeof(ReaperChanges) <= 2 * 64 * kUnits * sizeof(float));

template <bool kSmall, int kKept>
__global__ void __launch_bounds__(kThreads, 1)
    fp16_slice(const __grid_constant__ AgentSpec spec, const __grid_constant__ AgentView view,
               std::int64_t stop) {
  run_slice<Fp16Net<kSmall, kKept>>(spec, view, stop);
}

template <bool kSmall, int kKept>
cudaError_t launch_shape(const AgentSpec& spec, const AgentView& view, std::int64_t stop,
                         cudaStream_t stream) {
  constexpr int kBytes = sizeof(Fp16Memory<kSmall, kKept>);
  const cudaError_t set = cudaFuncSetAttribute(fp16_slice<kSmall, kKept>,
                                               cudaFuncAttributeMaxDynamicSharedMemorySize, kBytes);
  if (set != cudaSuccess) return set;
  const AgentLaunch launch(spec.blocks, kBytes, stream);
  return cudaLaunchKernelEx(&launch.config, fp16_slice<kSmall, kKept>, spec, view, stop);
}

template <int kKept>
cudaError_t launch_kept(const AgentSpec& spec, const AgentView& view, std::int64_t stop,
                        cudaStream_t stream) {
  return spec.net.channels == 4 ? launch_shape<true, kKept>(spec, view, stop, stream)
                                : launch_shape<false, kKept>(spec, view, stop, stream);
}

}  // namespace tarl::fleet
