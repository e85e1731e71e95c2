// SPDX-License-Identifier: MIT
#pragma once

#include "tarl/fleet/cuda/block.cuh"

namespace tarl::fleet {

inline constexpr int kMaxLevels = 5;
inline constexpr int kNearValues =
    128;  // the first level of at most this size, and the one above it, are kept in shared memory

// Eight neighbouring threads share 32 neighbouring values, four each.
inline constexpr int kSubwarpSize = 8;
inline constexpr int kSubwarps = kThreads / kSubwarpSize;

__device__ inline int subwarp_id() {
  return thread_id() / kSubwarpSize;
}

__device__ inline int subwarp_lane() {
  return thread_id() % kSubwarpSize;
}

// replay::SumTree with only every fifth level stored: a subwarp recomputes the four levels in
// between from 32 neighbours, in the same order of additions and therefore to the same bits. To
// avoid the latency of global memory, small levels above the leaves are mirrored in shared memory
// during a slice.
struct SumLevels {
  double* level[kMaxLevels] = {};  // [0] are the leaves; padded with zeros to a multiple of 32
  double* smem = nullptr;          // holds the near levels
  std::int32_t levels = 0;         // the top one has at most 32 values
  std::int32_t near = 0;           // the first near level, or `levels`
  std::int32_t count[kMaxLevels] = {};

  __device__ double* values(int l) const { return ptx::global(level[l]); }

  __device__ double* near_values(int l) const {
    return ptx::shared(smem) + (l > near ? kNearValues : 0);
  }

  // The block, at the beginning of a slice: loads the near levels.
  __device__ __noinline__ void bring_near() const {
    for (int l = near; l < levels; ++l) {
      const int padded = (count[l] + 31) / 32 * 32;
      for (int i = thread_id(); i < padded; i += kThreads) near_values(l)[i] = values(l)[i];
    }
    __syncthreads();
  }

  __device__ void put(int l, std::int32_t at, double value) const {
    values(l)[at] = value;
    if (l >= near) near_values(l)[at] = value;
  }

  // This lane's value of a chunk of 32.
  __device__ double load(int l, std::int32_t chunk) const {
    const std::int32_t at = chunk * 32 + lane_id();
    return l >= near ? near_values(l)[at] : values(l)[at];
  }

  __device__ double total() const { return warp_sum(load(levels - 1, 0)); }

  struct alignas(16) Four {
    double v[4];

    __device__ double sum() const { return (v[0] + v[1]) + (v[2] + v[3]); }
  };

  // This thread's share of a subwarp's 32 neighbours.
  __device__ Four load_four(int l, std::int32_t chunk) const {
    const std::int32_t at = chunk * 32 + subwarp_lane() * 4;
    return l >= near ? *reinterpret_cast<const Four*>(near_values(l) + at)
                     : *reinterpret_cast<const Four*>(values(l) + at);
  }

  // The leaf a mass falls on, and the mass left over there.
  struct Found {
    std::int32_t leaf;
    double rest, weight;
  };

  // One mass per subwarp, by the rule of SumTree::find. All lanes of a warp must call it together.
  __device__ Found find(double mass) const {
    const int first = lane_id() - subwarp_lane();
    Found found{0, mass, 0};
    for (int l = levels - 1; l >= 0; --l) {
      const Four own = load_four(l, found.leaf);
      const double low = own.v[0] + own.v[1], high = own.v[2] + own.v[3];
      const double four = low + high;
      const double eight = four + __shfl_xor_sync(kFullWarp, four, 1);
      const double sixteen = eight + __shfl_xor_sync(kFullWarp, eight, 2);
      int at = first;
      const auto descend = [&](double side, int lanes) {
        const double left = __shfl_sync(kFullWarp, side, at);
        const double right = __shfl_sync(kFullWarp, side, at + lanes);
        // A right child of weight zero is never entered, whatever rounding did to the mass.
        const bool go = found.rest >= left && right > 0;
        found.rest -= go ? left : 0.0;
        at += go ? lanes : 0;
      };
      descend(sixteen, 4);
      descend(eight, 2);
      descend(four, 1);
      // The last two branches are among one thread's values.
      const bool upper = found.rest >= low && high > 0;
      double rest = found.rest - (upper ? low : 0.0);
      const double left = upper ? own.v[2] : own.v[0], right = upper ? own.v[3] : own.v[1];
      const bool last = rest >= left && right > 0;
      rest -= last ? left : 0.0;
      const int turns = (upper ? 2 : 0) + (last ? 1 : 0);
      found.rest = __shfl_sync(kFullWarp, rest, at);
      found.weight = __shfl_sync(kFullWarp, last ? right : left, at);
      found.leaf = found.leaf * 32 + (at - first) * 4 + __shfl_sync(kFullWarp, turns, at);
    }
    return found;
  }

  // One warp sets one leaf. Each level's siblings are loaded before the level below is summed,
  // which hides the latency.
  __device__ __noinline__ void set(std::int32_t leaf, double weight) const {
    double next = load(0, leaf >> 5);
#pragma unroll 1
    for (int l = 0; l < levels; ++l) {
      double value = next;
      if (l + 1 < levels) next = load(l + 1, leaf >> 5 * (l + 2));
      const std::int32_t node = leaf >> 5 * l;
      if (lane_id() == node % 32) {
        value = weight;
        put(l, node, weight);
      }
      if (l + 1 < levels) weight = warp_sum(value);
    }
    __syncwarp();
  }

  // A subwarp recomputes the parent of 32 neighbours.
  __device__ void add_up_chunk(int l, std::int32_t chunk, bool there) const {
    double sum = there ? load_four(l, chunk).sum() : 0.0;
#pragma unroll
    for (int o = 1; o < kSubwarpSize; o *= 2) sum += __shfl_xor_sync(kFullWarp, sum, o);
    if (there && subwarp_lane() == 0) put(l + 1, chunk, sum);
  }

  // The block, after leaves leaf[0..n) were written: recomputes their ancestors. A parent shared by
  // several leaves is written several times with the same value.
  template <class Index>
  __device__ void add_up(const Index* leaf, int n) const {
    for (int l = 0; l + 1 < levels; ++l) {
      __syncthreads();
      for (int first = 0; first < n; first += kSubwarps) {
        const int i = first + subwarp_id();
        add_up_chunk(l, i < n ? leaf[i] >> (5 * (l + 1)) : 0, i < n);
      }
    }
    __syncthreads();
  }

  // The block, after any values of level l were written: recomputes the whole level above. Two
  // chunks per subwarp at a time; the warp barrier between loads and sums keeps the compiler from
  // issuing the second load only after the first sum.
  __device__ void add_up_level(int l) const {
#pragma unroll 1
    for (std::int32_t first = subwarp_id(); first - subwarp_id() < count[l + 1];
         first += 2 * kSubwarps) {
      const std::int32_t second = first + kSubwarps;
      Four a = {}, b = {};
      if (first < count[l + 1]) a = load_four(l, first);
      if (second < count[l + 1]) b = load_four(l, second);
      __syncwarp();
      double sum = a.sum(), other = b.sum();
#pragma unroll
      for (int o = 1; o < kSubwarpSize; o *= 2) {
        sum += __shfl_xor_sync(kFullWarp, sum, o);
        other += __shfl_xor_sync(kFullWarp, other, o);
      }
      if (subwarp_lane() == 0 && first < count[l + 1]) put(l + 1, first, sum);
      if (subwarp_lane() == 0 && second < count[l + 1]) put(l + 1, second, other);
    }
  }
};

}  // namespace tarl::fleet
