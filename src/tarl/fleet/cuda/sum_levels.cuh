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

  struct Found {
    std::int64_t leaf;
    double rest;
  };

  // One warp. The rule of SumTree::find.
  __device__ Found find(double mass) const {
    std::int64_t node = 0;
    for (int l = levels - 1; l >= 0; --l) {
      double part[5];
      double value = load(l, node);
      for (int k = 0; k < 5; ++k) {
        part[k] = value;
        value += __shfl_xor_sync(kFullWarp, value, 1 << k);
      }
      int at = 0;
#pragma unroll
      for (int k = 4; k >= 0; --k) {
        const double left = __shfl_sync(kFullWarp, part[k], at);
        const double right = __shfl_sync(kFullWarp, part[k], at + (1 << k));
        // A right side without weight is never entered, whatever rounding did to the mass.
        if (mass >= left && right > 0) {
          mass -= left;
          at += 1 << k;
        }
      }
      node = node * 32 + at;
    }
    return {node, mass};
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
