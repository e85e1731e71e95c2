// SPDX-License-Identifier: MIT
#pragma once

#include "tarl/fleet/cuda/waves/half_tile.cuh"
#include "tarl/nn/kernels/kernels.h"

namespace tarl::fleet {

constexpr int kDepth = kUnits;     // of one step
constexpr int kPitch = kTile + 4;  // of rows in shared memory
constexpr int kEach = 4;           // rows and columns per thread

struct ProductRoom {
  alignas(16) float a[kDepth][kPitch], b[kDepth][kPitch];
};

// 64 x 64 elements of a product; each thread has 4 x 4 of them in registers.
class ProductTile {
 public:
  __device__ ProductTile(const Product& product, ProductRoom& room, int rows, int tile)
      : p_(product), room_(room), rows_(rows) {
    const int across = (p_.columns + kTile - 1) / kTile;
    row0_ = tile / across * kTile;
    column0_ = tile % across * kTile;
  }

  __device__ void run() {
    start();
    const OperandLines a = OperandLines::of_a(p_, row0_, rows_);
    const OperandLines b = OperandLines::of_b(p_, column0_);
    Floats a_next, b_next;
    load(a, 0, a_next);
    load(b, 0, b_next);
    for (int k0 = 0; k0 < p_.depth; k0 += kDepth) {
      __syncthreads();
      put(a, a_next, room_.a);
      put(b, b_next, room_.b);
      __syncthreads();
      if (k0 + kDepth < p_.depth) {
        load(a, k0 + kDepth, a_next);
        load(b, k0 + kDepth, b_next);
      }
      if (p_.depth - k0 >= kDepth) {
#pragma unroll
        for (int k = 0; k < kDepth; ++k) multiply(k);
      } else {
        for (int k = 0; k < p_.depth - k0; ++k) multiply(k);
      }
    }
    finish();
  }

 private:
  using Floats = float[OperandLines::kEach];

  __device__ int my_row() const {
    return thread_of_block() / (kTile / kEach) * kEach;
  }

  __device__ int my_column() const {
    return thread_of_block() % (kTile / kEach) * kEach;
  }

  __device__ void start() {
#pragma unroll
    for (int j = 0; j < kEach; ++j) {
      const int column = column0_ + my_column() + j;
      const float first = p_.bias != nullptr && column < p_.columns ? p_.bias[column] : 0.0F;
#pragma unroll
      for (int i = 0; i < kEach; ++i) sum_[i][j] = first;
    }
  }

  __device__ void load(const OperandLines& lines, int k0, Floats& next) const {
#pragma unroll
    for (int e = 0; e < OperandLines::kEach; ++e) {
      next[e] = lines.at(e, k0 + lines.unit_of(e), p_.depth);
    }
  }

  __device__ static void put(const OperandLines& lines, const Floats& next,
                             float (&to)[kDepth][kPitch]) {
#pragma unroll
    for (int e = 0; e < OperandLines::kEach; ++e) to[lines.unit_of(e)][lines.line_of(e)] = next[e];
  }

  __device__ void multiply(int k) {
    const float4 a = *reinterpret_cast<const float4*>(&room_.a[k][my_row()]);
    const float4 b = *reinterpret_cast<const float4*>(&room_.b[k][my_column()]);
    const float left[kEach] = {a.x, a.y, a.z, a.w}, right[kEach] = {b.x, b.y, b.z, b.w};
#pragma unroll
    for (int i = 0; i < kEach; ++i) {
#pragma unroll
      for (int j = 0; j < kEach; ++j) sum_[i][j] = fmaf(left[i], right[j], sum_[i][j]);
    }
  }

  __device__ void finish() {
    bool bad = false;
#pragma unroll
    for (int i = 0; i < kEach; ++i) {
      const int row = row0_ + my_row() + i;
#pragma unroll
      for (int j = 0; j < kEach; ++j) {
        const int column = column0_ + my_column() + j;
        if (row >= rows_ || column >= p_.columns) continue;
        bad = !store_finished(p_, sum_[i][j], row, column, p_.c) || bad;
      }
    }
    if (bad && p_.bad != nullptr) *p_.bad = 1;
  }

  const Product& p_;
  ProductRoom& room_;
  const int rows_;
  int row0_, column0_;
  float sum_[kEach][kEach];
};

// 16 partial sums folded by a fixed tree; each half of a warp has a row.
__device__ inline void dot_rows(const Product& p, int rows, int tile) {
  constexpr int kLanes = nn::kLanes, kTeams = kBlockThreads / kLanes;
  const int lane = thread_of_block() % kLanes;
  for (int i = 0; i < kTile / kTeams; ++i) {
    const int row = tile * kTile + thread_of_block() / kLanes + i * kTeams;
    const float* x = p.a + static_cast<long>(row < rows ? row : 0) * p.a_row;
    float sum = 0;
    for (int k = lane; k < (p.depth + kLanes - 1) / kLanes * kLanes; k += kLanes) {
      sum = k < p.depth ? fmaf(x[k], p.b[k], sum) : fmaf(0.0F, 0.0F, sum);
    }
    for (int half = kLanes / 2; half > 0; half /= 2) {
      sum += __shfl_xor_sync(0xFFFFFFFFU, sum, half);
    }
    if (lane == 0 && row < rows) p.c[static_cast<long>(row) * p.c_row] = *p.bias + sum;
  }
}

// The products of a phase, one tile per block. Items say which ones they skip.
template <class Item, class Phase>
__global__ void __launch_bounds__(kBlockThreads)
    run_products(const Item* items, Phase phase, int blocks_each) {
  const auto place = PlaceOf<Item>::of(items, blocks_each);
  const PhaseView& list = place.view.phase[static_cast<int>(phase)];
  if (place.item.stopped()) return;
  int tile = place.block;
  for (int at = 0; at < list.count; ++at) {
    const Product& product = list.products[at];
    const int rows = product.rows_of(place.item.act_rows);
    const int tiles = product.tiles(rows);
    if (tile >= tiles) {
      tile -= tiles;
      continue;
    }
    if (product.optional && place.item.leaves_out_optional()) return;
    if (product.dots) {
      dot_rows(product, rows, tile);
    } else if (product.halves) {
      HalfTile(product, *reinterpret_cast<HalfRoom*>(block_memory()), rows, tile).run();
    } else {
      ProductTile(product, *reinterpret_cast<ProductRoom*>(block_memory()), rows, tile).run();
    }
    return;
  }
}

}  // namespace tarl::fleet
