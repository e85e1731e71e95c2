// SPDX-License-Identifier: MIT
#pragma once

// Products whose left side has many zeros, as a ReLU leaves them. A fused multiply-add of zero
// changes nothing, so depths where a whole tile is zero are left out: the same bits, sooner.

#include "tarl/nn/kernels/kernels.h"
#include "tarl/nn/kernels/tile.h"

namespace tarl::nn {

namespace {

inline constexpr int kMaxListed = 4096;
inline constexpr int kMaxStretches = 8;

// The depths that matter to a tile, in ascending order, one stretch after another.
struct DepthList {
  int end[kMaxStretches];       // where each stretch's entries end
  int at[kMaxListed + kLanes];  // a vector more, as list_lanes() writes
};

// Rows of A are read in whole vectors: they have room for depth rounded up.
template <int kRows>
inline void list_depths(const Product& p, int i, DepthList& list) {
  int count = 0;
  for (int stretch = 0; stretch < p.stretches; ++stretch) {
    const float* a = p.a + i * p.a_row + stretch * p.a_stretch;
    for (int k = 0; k < p.depth; k += kLanes) {
      Vec bits = load(a + k);
#pragma GCC unroll 16
      for (int r = 1; r < kRows; ++r) bits = bits | load(a + r * p.a_row + k);
      unsigned lanes = nonzero_lanes(bits);
      if (p.depth - k < kLanes) lanes &= (1U << (p.depth - k)) - 1U;
      count += list_lanes(lanes, k, list.at + count);
    }
    list.end[stretch] = count;
  }
}

// A function of its own: the register allocator then sees nothing but the tile.
template <int kRows, int kVectors>
[[gnu::noinline]] void listed_tile(const Product& p, const DepthList& list, int i, int j) {
  Vec c[kRows][kVectors];
  start_tile<kRows, kVectors>(p, i, j, c);
  const long a_row = p.a_row, b_stride = p.b_stride;
  int n = 0;
  for (int stretch = 0; stretch < p.stretches; ++stretch) {
    const float* a = p.a + i * a_row + stretch * p.a_stretch;
    const float* b = p.b + j + stretch * (p.depth * b_stride);
    for (const int end = list.end[stretch]; n < end; ++n) {
      const long k = list.at[n];
      Vec row[kVectors];
#pragma GCC unroll 8
      for (int v = 0; v < kVectors; ++v) row[v] = load(b + k * b_stride + vectors(v));
#pragma GCC unroll 16
      for (int r = 0; r < kRows; ++r) {
        const Vec x = splat(a[r * a_row + k]);
#pragma GCC unroll 8
        for (int v = 0; v < kVectors; ++v) c[r][v] = fma(x, row[v], c[r][v]);
      }
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
    list_depths<kRows>(p, i, list);
    listed_columns<kRows, kVectors>(p, list, i, 0);
  }
  if constexpr (kRows > 1) listed_rows<kRows / 2>(p, list, i);
}

// A block of rows, 1 to kRows.
template <int kRows>
inline void listed_block(int rows, const Product& p, DepthList& list, int i) {
  if constexpr (kRows > 1) {
    if (rows < kRows) {
      listed_block<kRows - 1>(rows, p, list, i);
      return;
    }
  }
  list_depths<kRows>(p, i, list);
  listed_columns<kRows, kTileVectors>(p, list, i, 0);
}

inline bool skips(const Product& p) {
  return p.skip_zeros && p.stretches <= kMaxStretches && p.stretches * p.depth <= kMaxListed &&
         (p.rows_alike || kSkipRows > 1 || p.rows == 1);
}

inline void skipping_product(const Product& p) {
  DepthList list;
  if (!p.rows_alike) {
    listed_rows<kSkipRows>(p, list, 0);
    return;
  }
  const RowBlocks blocks(p.rows);
  for (int b = 0; b < blocks.count; ++b) {
    const int i = blocks.begin(b);
    listed_block<kTileRows>(blocks.begin(b + 1) - i, p, list, i);
  }
}

}  // namespace

}  // namespace tarl::nn
