// SPDX-License-Identifier: MIT
#pragma once

#include "tarl/fleet/minatar_dqn/cuda/fp16/shared.cuh"

// Q of a few boards: features in f32, then a matrix-vector product that reads the fp16 weights
// once.
namespace tarl::fleet {

inline constexpr int kActRows = 5;  // rows per pass

template <bool kSmall, int kKept>
struct Fp16Act {
  const AgentSpec& spec;
  PackedView packed;

  __device__ static Fp16Shared<kSmall, kKept>& smem() { return fp16_memory<kSmall, kKept>().smem; }

  __device__ static Shared& s() { return fp16_memory<kSmall, kKept>().shared; }

  __device__ float* features() const { return reinterpret_cast<float*>(smem().main); }

  // [warp][row][unit] sums over a warp's positions; afterwards H as [row][unit].
  __device__ float* sums() const {
    return reinterpret_cast<float*>(smem().main) + kMaxEvalEpisodes * kFeatures;
  }

  // The convolution's parameters in their canonical order.
  __device__ float* conv() const {
    static_assert((kMaxEvalEpisodes * kFeatures + kWarps * kActRows * kUnits + kMaxConv) * 4 <=
                  Fp16Shared<kSmall, kKept>::kMainBytes);
    return sums() + kWarps * kActRows * kUnits;
  }

  __device__ void run(int rows) const {
    for (int e = thread_id(); e < ConvShape<kSmall>::kElements; e += kThreads) {
      const int place = ConvElement<kSmall>(e).place(spec.net);
      if (place >= 0) conv()[place] = smem().conv_values[e];
    }
    __syncthreads();
    for (int place = warp_id(); place < kPositions; place += kWarps) {
      conv_at<1>(spec.net, conv(), s().act_obs[0], kMaxObsBytes, rows, place,
                 features() + place * kMaps, kFeatures);
    }
    __syncthreads();
    if (rows == 1) {
      few_rows<1>(0, 1);
    } else {
      for (int row = 0; row < rows; row += kActRows) {
        few_rows<kActRows>(row, rows - row < kActRows ? rows - row : kActRows);
      }
    }
  }

  // Each load gives a lane eight maps of one unit: maps 0-7 or 8-15 by the low bit of `part`, and
  // unit 8 (part / 2) + lane % 8 of sixteen.
  template <int kRows>
  __device__ __noinline__ void few_rows(int first, int rows) const {
    const int lane = lane_id(), part = lane / 8;
    float sum[kRows][kUnitGroups] = {};
#pragma unroll 1
    for (int i = 0; i < kPositions / kWarps; ++i) {
      const int place = warp_id() * (kPositions / kWarps) + i;
      uint4 weights[kUnitGroups];
      const uint4* from =
          packed.high + (place * kUnitGroups * kTileWeights + part * kMatrix) / 8 + lane % 8;
#pragma unroll
      for (int j = 0; j < kUnitGroups; ++j) weights[j] = from[j * kTileWeights / 8];
#pragma unroll
      for (int r = 0; r < kRows; ++r) {
        const int row = first + (r < rows ? r : 0);
        const float* x = features() + row * kFeatures + place * kMaps + part % 2 * 8;
        const float4 low = *reinterpret_cast<const float4*>(x);
        const float4 high = *reinterpret_cast<const float4*>(x + 4);
#pragma unroll
        for (int j = 0; j < kUnitGroups; ++j) {
          const float2 a = __half22float2(reinterpret_cast<const __half2&>(weights[j].x));
          const float2 b = __half22float2(reinterpret_cast<const __half2&>(weights[j].y));
          const float2 c = __half22float2(reinterpret_cast<const __half2&>(weights[j].z));
          const float2 d = __half22float2(reinterpret_cast<const __half2&>(weights[j].w));
          float total = sum[r][j];
          total = fmaf(low.x, a.x, fmaf(low.y, a.y, total));
          total = fmaf(low.z, b.x, fmaf(low.w, b.y, total));
          total = fmaf(high.x, c.x, fmaf(high.y, c.y, total));
          sum[r][j] = fmaf(high.z, d.x, fmaf(high.w, d.y, total));
        }
      }
    }
#pragma unroll
    for (int r = 0; r < kRows; ++r) {
#pragma unroll
      for (int j = 0; j < kUnitGroups; ++j) {
        const float total = sum[r][j] + __shfl_xor_sync(kFullWarp, sum[r][j], 8);
        const int unit = 16 * j + part / 2 * 8 + lane % 8;
        if (part % 2 == 0) sums()[(warp_id() * kActRows + r) * kUnits + unit] = total;
      }
    }
    __syncthreads();
    for (int i = thread_id(); i < rows * kUnits; i += kThreads) {
      float total = smem().online.bias()[i % kUnits];
      for (int w = 0; w < kWarps; ++w) total += sums()[w * kActRows * kUnits + i];
      // Only this thread reads the first warp's sum of this unit, so H may overwrite it.
      sums()[i] = fmaxf(total, 0.0F);
    }
    __syncthreads();
    const int actions = spec.net.actions;
    for (int i = warp_id(); i < rows * actions; i += kWarps) {
      const float* h = sums() + i / actions * kUnits;
      float total = 0;
      for (int n = lane; n < kUnits; n += 32)
        total = fmaf(h[n], smem().online.head(i % actions)[n], total);
      total = warp_sum(total);
      if (lane == 0)
        s().act_q[first + i / actions][i % actions] =
            total + smem().online.head_bias()[i % actions];
    }
    __syncthreads();
  }
};

}  // namespace tarl::fleet
