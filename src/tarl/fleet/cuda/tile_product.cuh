// SPDX-License-Identifier: MIT
#pragma once

#include "tarl/fleet/cuda/block.cuh"

// C(r, n) = start(n) + sum over d of A(d, r) B(d, n) for a block, each element one chain of fused
// multiply-adds in ascending order of d: the CPU's order, hence the CPU's bits.
namespace tarl::fleet {

inline constexpr int kTileColumns = 128;
inline constexpr int kTileDepth = 32;

template <int kRows>
inline constexpr int kTileRows = kWarps* kRows;  // a warp has kRows rows of all columns

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

// `load_a(d, r)` and `load_b(d, n)` are called for d < depth, r < rows and n < columns only;
// `start(n)` gives the first value of each chain and `store(r, n, value)` takes the last.
template <int kRows, Along kAlongA, Along kAlongB, class LoadA, class LoadB, class Start,
          class Store>
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
      room.a[side][d][other] = next_a[k];
    }
#pragma unroll
    for (int k = 0; k < kLoadsB; ++k) {
      split(thread_id() + k * kThreads, kTileColumns, kAlongB, d, other);
      room.b[side][d][other] = next_b[k];
    }
  };

  const int first_row = warp_id() * kRows, first_column = lane_id() * 4;
  float sum[kRows][4];
#pragma unroll
  for (int n = 0; n < 4; ++n) {
    const float begin = first_column + n < columns ? start(first_column + n) : 0.0F;
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
    if (first_row < rows) {
#pragma unroll 8
      for (int d = 0; d < kTileDepth; ++d) {
        const float4 b = *reinterpret_cast<const float4*>(&room.b[side][d][first_column]);
        const FloatRow<kRows> row =
            *reinterpret_cast<const FloatRow<kRows>*>(&room.a[side][d][first_row]);
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
      if (first_row + r < rows && first_column + n < columns) {
        store(first_row + r, first_column + n, sum[r][n]);
      }
    }
  }
  __syncthreads();
}

}  // namespace tarl::fleet
