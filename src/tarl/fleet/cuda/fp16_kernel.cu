// SPDX-License-Identifier: MIT
#include "tarl/fleet/cuda/agent_loop.cuh"
#include "tarl/fleet/cuda/fp16_net.cuh"
#include "tarl/fleet/cuda/kernels.cuh"

namespace tarl::fleet {

namespace {

template <bool kSmall>
struct Fp16Memory {
  Fp16Room<kSmall> room;
  Shared shared;
};

static_assert(sizeof(Fp16Memory<true>) <= 232448 && sizeof(Fp16Memory<false>) <= 232448);
static_assert(sizeof(ReaperChanges) <= kRingBytes);

template <bool kSmall>
__global__ void __launch_bounds__(kThreads, 1)
    fp16_slice(const __grid_constant__ AgentSpec spec, const __grid_constant__ AgentView view,
               const __grid_constant__ PackedView packed, std::int64_t stop) {
  extern __shared__ __align__(128) unsigned char memory[];
  auto& m = *reinterpret_cast<Fp16Memory<kSmall>*>(memory);
  Fp16Net<kSmall> net(spec, view, packed, m.shared, m.room);
  run_slice(spec, view, m.shared, net, stop);
}

template <bool kSmall>
cudaError_t launch(const AgentSpec& spec, const AgentView& view, const PackedView& packed,
                   std::int64_t stop, cudaStream_t stream) {
  constexpr int kBytes = sizeof(Fp16Memory<kSmall>);
  const cudaError_t set =
      cudaFuncSetAttribute(fp16_slice<kSmall>, cudaFuncAttributeMaxDynamicSharedMemorySize, kBytes);
  if (set != cudaSuccess) return set;
  fp16_slice<kSmall><<<1, kThreads, kBytes, stream>>>(spec, view, packed, stop);
  return cudaGetLastError();
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
