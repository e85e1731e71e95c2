// SPDX-License-Identifier: MIT
#pragma once

#include "tarl/fleet/cuda/block.cuh"

namespace tarl::fleet {

inline constexpr int kMaxLevels = 5;

// replay::SumTree with only every fifth level kept: a warp rebuilds the four between from 32
// neighbours, in the same order of additions, hence to the same bits.
struct SumLevels {
  double* level[kMaxLevels] = {};  // [0] are the leaves, padded with zeros to a power of two
  std::int32_t levels = 0;         // the top one has at most 32 values
  std::int64_t count[kMaxLevels] = {};

  // Value of a warp's 32 neighbours, zero beyond the end.
  __device__ double load(int l, std::int64_t chunk) const {
    const std::int64_t at = chunk * 32 + lane_id();
    return at < count[l] ? level[l][at] : 0.0;
  }

  __device__ double total() const { return warp_sum(load(levels - 1, 0)); }

  // One warp: the leaf where each mass falls and what is left of the mass there, by the rule of
  // SumTree::find. Several at a time, because each step waits for the one before.
  template <int kMany>
  __device__ void find(double (&mass)[kMany], std::int64_t (&leaf)[kMany]) const {
    for (std::int64_t& node : leaf) node = 0;
    for (int l = levels - 1; l >= 0; --l) {
      double part[kMany][5], value[kMany];
      int at[kMany] = {};
#pragma unroll
      for (int i = 0; i < kMany; ++i) value[i] = load(l, leaf[i]);
#pragma unroll
      for (int k = 0; k < 5; ++k) {
#pragma unroll
        for (int i = 0; i < kMany; ++i) {
          part[i][k] = value[i];
          value[i] += __shfl_xor_sync(kFullWarp, value[i], 1 << k);
        }
      }
#pragma unroll
      for (int k = 4; k >= 0; --k) {
#pragma unroll
        for (int i = 0; i < kMany; ++i) {
          const double left = __shfl_sync(kFullWarp, part[i][k], at[i]);
          const double right = __shfl_sync(kFullWarp, part[i][k], at[i] + (1 << k));
          // A right side without weight is never entered, whatever rounding did to the mass.
          const bool go = mass[i] >= left && right > 0;
          mass[i] -= go ? left : 0.0;
          at[i] += go ? 1 << k : 0;
        }
      }
#pragma unroll
      for (int i = 0; i < kMany; ++i) leaf[i] = leaf[i] * 32 + at[i];
    }
  }

  // One warp sets one leaf.
  __device__ void set(std::int64_t leaf, double weight) const {
    for (int l = 0; l < levels; ++l) {
      const std::int64_t chunk = leaf / 32;
      double value = load(l, chunk);
      if (lane_id() == leaf % 32) {
        value = weight;
        level[l][leaf] = weight;
      }
      weight = warp_sum(value);
      leaf = chunk;
    }
    __syncwarp();
  }

  // The block, after leaves [0, n) of `leaf` were written: recomputes what is above them. Equal
  // parents are written twice with equal values.
  template <class Index>
  __device__ void add_up(const Index* leaf, int n) const {
    for (int l = 0; l + 1 < levels; ++l) {
      __syncthreads();
      for (int i = warp_id(); i < n; i += kWarps) {
        const std::int64_t chunk = leaf[i] >> (5 * (l + 1));
        const double sum = warp_sum(load(l, chunk));
        if (lane_id() == 0) level[l + 1][chunk] = sum;
      }
    }
    __syncthreads();
  }

  // The block, after any leaves were written.
  __device__ void add_up_all() const {
    for (int l = 0; l + 1 < levels; ++l) {
      __syncthreads();
      // Several loads under way at a time.
#pragma unroll 4
      for (std::int64_t chunk = warp_id(); chunk < count[l + 1]; chunk += kWarps) {
        const double sum = warp_sum(load(l, chunk));
        if (lane_id() == 0) level[l + 1][chunk] = sum;
      }
    }
    __syncthreads();
  }
};

}  // namespace tarl::fleet
