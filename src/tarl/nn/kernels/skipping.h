// SPDX-License-Identifier: MIT
#pragma once

// Products whose left side has many zeros, as a ReLU leaves them. A fused multiply-add of zero
// changes nothing, so depths where a whole tile is zero are left out: the same bits, sooner.

#include "tarl/nn/kernels/kernels.h"
#include "tarl/nn/kernels/tile.h"

namespace tarl::nn {

namespace {

inline constexpr int kMaxListed = 4096;

// The depths that matter to a tile, in ascending order.
struct DepthList {
  int count = 0;
  int at[kMaxListed + kLanes];  // a vector more, as list_lanes() writes
};

// Rows of `a` are read in whole vectors: they have room for depth rounded up.
template <int kRows>
inline void list_depths(const float* a, long stride, int depth, DepthList& list) {
  list.count = 0;
  for (int k = 0; k < depth; k += kLanes) {
    unsigned lanes = 0;
#pragma GCC unroll 16
    for (int r = 0; r < kRows; ++r) lanes |= nonzero_lanes(load(a + r * stride + k));
    if (depth - k < kLanes) lanes &= (1U << (depth - k)) - 1U;
    list.count += list_lanes(lanes, k, list.at + list.count);
  }
}

// A function of its own: the register allocator then sees nothing but the tile.
template <int kRows, int kVectors>
[[gnu::noinline]] void listed_tile(const Product& p, const DepthList& list, int i, int j) {
  Vec c[kRows][kVectors];
  start_tile<kRows, kVectors>(p, i, j, c);
  const float* a = p.a + i * p.a_row;
  const float* b = p.b + j;
  const long a_row = p.a_row, b_stride = p.b_stride;
  for (int n = 0; n < list.count; ++n) {
    const long k = list.at[n];
    Vec row[kVectors];
#pragma GCC unroll 8
    for (int v = 0; v < kVectors; ++v) row[v] = load(b + k * b_stride + kLanes * v);
#pragma GCC unroll 16
    for (int r = 0; r < kRows; ++r) {
      const Vec x = splat(a[r * a_row + k]);
#pragma GCC unroll 8
      for (int v = 0; v < kVectors; ++v) c[r][v] = fma(x, row[v], c[r][v]);
    }
  }
  finish_tile<kRows, kVectors>(p, i, j, c);
}

// Columns [j, end of the row) in tiles of kVectors, then of half as many, down to one.
template <int kRows, int kVectors>
inline void listed_columns(const Product& p, const DepthList& list, int i, int j) {
  for (; j + kLanes * kVectors <= p.columns; j += kLanes * kVectors) {
    listed_tile<kRows, kVectors>(p, list, i, j);
  }
  if constexpr (kVectors > 1) listed_columns<kRows, kVectors / 2>(p, list, i, j);
}

// Rows [i, end) in tiles of kRows, then of half as many, down to one.
template <int kRows>
inline void listed_rows(const Product& p, DepthList& list, int i) {
  constexpr int kVectors = kRows == 1 ? kSkipVectorsOfOneRow : kSkipVectors;
  for (; i + kRows <= p.rows; i += kRows) {
    list_depths<kRows>(p.a + i * p.a_row, p.a_row, p.depth, list);
    listed_columns<kRows, kVectors>(p, list, i, 0);
  }
  if constexpr (kRows > 1) listed_rows<kRows / 2>(p, list, i);
}

inline void skipping_product(const Product& p) {
  DepthList list;
  listed_rows<kSkipRows>(p, list, 0);
}

}  // namespace

}  // namespace tarl::nn
