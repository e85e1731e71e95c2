// SPDX-License-Identifier: MIT
#pragma once

#include "tarl/fleet/cuda/block.cuh"

// C(r, n) = start(n) + sum over d of A(d, r) B(d, n) for a block. In f32 each element is one chain
// of fused multiply-adds in ascending order of d: the CPU's order, hence the CPU's bits. In tf32
// operands are rounded to ten bits of mantissa and multiplied by tensor cores.
namespace tarl::fleet {

inline constexpr int kTileColumns = 128;
inline constexpr int kTileDepth = 32;

template <int kRows>
inline constexpr int kTileRows = kWarps* kRows;

// Read by one instruction.
template <int kRows>
struct alignas(kRows * sizeof(float)) FloatRow {
  float value[kRows];
};

struct TileRoom {
  alignas(16) float a[2][kTileDepth][kTileRows<4> + 4];
  alignas(16) float b[2][kTileDepth][kTileColumns + 4];
};

// Which index of an operand neighbouring threads should walk along when they load it.
enum class Along { kDepth, kOther };

// Which elements a thread sums, [i][n] of kRows times 4. In f32 a warp has kRows rows of all
// columns; in tf32 it has all rows of 8 columns, as products of 16 rows leave them.
template <bool kTf32, int kRows>
struct TileShare {
  int row0, column0;

  __device__ static TileShare mine() {
    if constexpr (kTf32) return {lane_id() / 4, warp_id() * 8 + lane_id() % 4 * 2};
    return {warp_id() * kRows, lane_id() * 4};
  }

  __device__ int row(int i, int n) const { return row0 + (kTf32 ? 16 * i + n / 2 * 8 : i); }

  __device__ int column(int n) const { return column0 + (kTf32 ? n % 2 : n); }
};

// A warp multiplies a tile of operands that are rounded already.
template <int kRows>
__device__ inline void multiply_tf32(const TileRoom& room, int side, int rows, int columns,
                                     float (&sum)[kRows][4]) {
  const int g = lane_id() / 4, t = lane_id() % 4, first = warp_id() * 8;
  if (first >= columns) return;
#pragma unroll
  for (int d = 0; d < kTileDepth; d += 8) {
    const float b0 = room.b[side][d + t][first + g], b1 = room.b[side][d + t + 4][first + g];
#pragma unroll
    for (int i = 0; i < kRows; ++i) {
      if (16 * i >= rows) break;
      const float* near = &room.a[side][d + t][16 * i + g];
      const float* far = &room.a[side][d + t + 4][16 * i + g];
      ptx::mma_tf32(sum[i], near[0], near[8], far[0], far[8], b0, b1);
    }
  }
}

// `load_a(d, r)` and `load_b(d, n)` are called for d < depth, r < rows and n < columns only;
// `start(n)` gives the first value of each chain and `store(r, n, value)` takes the last.
template <bool kTf32, int kRows, Along kAlongA, Along kAlongB, class LoadA, class LoadB,
          class Start, class Store>
__device__ void tile_product(TileRoom& room, int rows, int columns, int depth, LoadA load_a,
                             LoadB load_b, Start start, Store store) {
  constexpr int kLoadsA = kTileRows<kRows> * kTileDepth / kThreads;
  constexpr int kLoadsB = kTileColumns * kTileDepth / kThreads;
  float next_a[kLoadsA], next_b[kLoadsB];
  const auto split = [](int i, int others, Along along, int& d, int& other) {
    d = along == Along::kDepth ? i % kTileDepth : i / others;
    other = along == Along::kDepth ? i / kTileDepth : i % others;
  };
  const auto fetch = [&](int first) {
    int d = 0, other = 0;
#pragma unroll
    for (int k = 0; k < kLoadsA; ++k) {
      split(thread_id() + k * kThreads, kTileRows<kRows>, kAlongA, d, other);
      next_a[k] = first + d < depth && other < rows ? load_a(first + d, other) : 0.0F;
    }
#pragma unroll
    for (int k = 0; k < kLoadsB; ++k) {
      split(thread_id() + k * kThreads, kTileColumns, kAlongB, d, other);
      next_b[k] = first + d < depth && other < columns ? load_b(first + d, other) : 0.0F;
    }
  };
  const auto put = [&](int side) {
    int d = 0, other = 0;
#pragma unroll
    for (int k = 0; k < kLoadsA; ++k) {
      split(thread_id() + k * kThreads, kTileRows<kRows>, kAlongA, d, other);
      room.a[side][d][other] = kTf32 ? ptx::to_tf32(next_a[k]) : next_a[k];
    }
#pragma unroll
    for (int k = 0; k < kLoadsB; ++k) {
      split(thread_id() + k * kThreads, kTileColumns, kAlongB, d, other);
      room.b[side][d][other] = kTf32 ? ptx::to_tf32(next_b[k]) : next_b[k];
    }
  };

  const auto mine = TileShare<kTf32, kRows>::mine();
  float sum[kRows][4];
#pragma unroll
  for (int n = 0; n < 4; ++n) {
    const float begin = mine.column(n) < columns ? start(mine.column(n)) : 0.0F;
#pragma unroll
    for (int r = 0; r < kRows; ++r) sum[r][n] = begin;
  }
  fetch(0);
  put(0);
  __syncthreads();
  int side = 0;
  for (int first = 0; first < depth; first += kTileDepth) {
    const bool more = first + kTileDepth < depth;
    if (more) fetch(first + kTileDepth);
    if constexpr (kTf32) {
      multiply_tf32(room, side, rows, columns, sum);
    } else if (mine.row0 < rows) {
#pragma unroll 8
      for (int d = 0; d < kTileDepth; ++d) {
        const float4 b = *reinterpret_cast<const float4*>(&room.b[side][d][mine.column0]);
        const FloatRow<kRows> row =
            *reinterpret_cast<const FloatRow<kRows>*>(&room.a[side][d][mine.row0]);
#pragma unroll
        for (int r = 0; r < kRows; ++r) {
          const float a = row.value[r];
          sum[r][0] = fmaf(a, b.x, sum[r][0]);
          sum[r][1] = fmaf(a, b.y, sum[r][1]);
          sum[r][2] = fmaf(a, b.z, sum[r][2]);
          sum[r][3] = fmaf(a, b.w, sum[r][3]);
        }
      }
    }
    if (more) {
      put(side ^ 1);
      side ^= 1;
      __syncthreads();
    }
  }
#pragma unroll
  for (int r = 0; r < kRows; ++r) {
#pragma unroll
    for (int n = 0; n < 4; ++n) {
      if (mine.row(r, n) < rows && mine.column(n) < columns) {
        store(mine.row(r, n), mine.column(n), sum[r][n]);
      }
    }
  }
  __syncthreads();
}

}  // namespace tarl::fleet
