// SPDX-License-Identifier: MIT
#include "tarl/fleet/cuda/agent_loop.cuh"
#include "tarl/fleet/cuda/fp16_net.cuh"
#include "tarl/fleet/cuda/kernels.cuh"

namespace tarl::fleet {

namespace {

static_assert(sizeof(ReaperChanges) <= kHiddenAt);

template <bool kSmall>
__global__ void __launch_bounds__(kThreads, 1)
    fp16_slice(const __grid_constant__ AgentSpec spec, const __grid_constant__ AgentView view,
               const __grid_constant__ PackedView packed, std::int64_t stop) {
  Fp16Net<kSmall> net(spec, view, packed);
  run_slice(spec, view, fp16_memory<kSmall>().shared, net, stop);
}

template <bool kSmall>
cudaError_t launch(const AgentSpec& spec, const AgentView& view, const PackedView& packed,
                   std::int64_t stop, cudaStream_t stream) {
  constexpr int kBytes = sizeof(Fp16Memory<kSmall>);
  const cudaError_t set =
      cudaFuncSetAttribute(fp16_slice<kSmall>, cudaFuncAttributeMaxDynamicSharedMemorySize, kBytes);
  if (set != cudaSuccess) return set;
  const AgentLaunch launch(spec.blocks, kBytes, stream);
  return cudaLaunchKernelEx(&launch.config, fp16_slice<kSmall>, spec, view, packed, stop);
}

}  // namespace

cudaError_t launch_fp16(const AgentSpec& spec, const AgentView& view, std::int64_t stop,
                        cudaStream_t stream) {
  std::byte* base = view.packed;
  const PackedView packed{reinterpret_cast<uint4*>(base),
                          reinterpret_cast<uint4*>(base + kPackedBlocks * kHighBytes),
                          base + 2 * kPackedBlocks * kHighBytes};
  return spec.net.channels == 4 ? launch<true>(spec, view, packed, stop, stream)
                                : launch<false>(spec, view, packed, stop, stream);
}

}  // namespace tarl::fleet
