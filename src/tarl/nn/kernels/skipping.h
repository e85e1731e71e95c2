// SPDX-License-Identifier: MIT
#pragma once

// Products whose left operand has many zeros, as after a ReLU. A fused multiply-add of zero changes
// nothing, so depths at which a whole tile is zero are skipped: the same bits in less time.

#include "tarl/nn/kernels/kernels.h"
#include "tarl/nn/kernels/tile.h"

namespace tarl::nn {

namespace {

inline constexpr int kMaxListed = 4096;
inline constexpr int kMaxSpans = 8;

// Number of row blocks whose lists are kept while they serve several products.
inline constexpr int kMaxBlocks = 8;

// The depths that a tile needs, in ascending order, one span after another.
struct DepthList {
  int end[kMaxSpans];  // end of each span's entries
  int* at;             // one vector longer, as list_lanes() overwrites
};

// Reads rows of A in whole vectors, so they must be padded to a multiple of kLanes.
template <int kRows>
inline void list_depths(const Product& p, int i, DepthList& list) {
  int count = 0;
  for (int span = 0; span < p.spans; ++span) {
    const float* a = p.a + i * p.a_row + span * p.a_span;
    for (int k = 0; k < p.depth; k += kLanes) {
      Vec bits = load(a + k);
#pragma GCC unroll 16
      for (int r = 1; r < kRows; ++r) bits = bits | load(a + r * p.a_row + k);
      unsigned lanes = nonzero_lanes(bits);
      if (p.depth - k < kLanes) lanes &= (1U << (p.depth - k)) - 1U;
      count += list_lanes(lanes, k, list.at + count);
    }
    list.end[span] = count;
  }
}

// A separate function, so that the register allocator sees only the tile.
template <int kRows, int kVectors>
[[gnu::noinline]] void listed_tile(const Product& p, const DepthList& list, int i, int j) {
  Vec c[kRows][kVectors];
  start_tile<kRows, kVectors>(p, i, j, c);
  const long a_row = p.a_row, b_stride = p.b_stride;
  int n = 0;
  for (int span = 0; span < p.spans; ++span) {
    const float* a = p.a + i * a_row + span * p.a_span;
    const float* b = p.b + j + span * (p.depth * b_stride);
    for (const int end = list.end[span]; n < end; ++n) {
      const long k = list.at[n];
      const float* at_b = b + k * b_stride;
      const float* at_a = a + k;
      Vec row[kVectors];
#pragma GCC unroll 8
      for (int v = 0; v < kVectors; ++v) row[v] = load(at_b + vectors(v));
#pragma GCC unroll 16
      for (int r = 0; r < kRows; ++r) {
        const Vec x = splat(at_a[r * a_row]);
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

// Calls work(RowCount<n>{}) for n = rows, 1 to kRows.
template <int kRows>
struct RowCount {
  static constexpr int kCount = kRows;
};

template <int kRows, class Work>
inline void with_rows(int rows, Work work) {
  if constexpr (kRows > 1) {
    if (rows < kRows) {
      with_rows<kRows - 1>(rows, work);
      return;
    }
  }
  work(RowCount<kRows>{});
}

inline bool skips(const Product& p) {
  return p.skip_zeros && p.spans <= kMaxSpans && p.spans * p.depth <= kMaxListed &&
         (p.rows_alike || kSkipRows > 1 || p.rows == 1);
}

// Lists the depths of all blocks once for several products. The products run one after another,
// since their results may overlap.
inline void products_of_lists(const Product& p, const RowBlocks& blocks, int* listed) {
  DepthList lists[kMaxBlocks];
  for (int b = 0; b < blocks.count; ++b) {
    lists[b].at = listed;
    const int i = blocks.begin(b);
    with_rows<kAlikeRows>(blocks.begin(b + 1) - i,
                          [&](auto rows) { list_depths<rows.kCount>(p, i, lists[b]); });
    listed += lists[b].end[p.spans - 1];
  }
  for_each_tap(p, [&](const Product& one) {
    for (int b = 0; b < blocks.count; ++b) {
      const int i = blocks.begin(b);
      with_rows<kAlikeRows>(blocks.begin(b + 1) - i, [&](auto rows) {
        listed_columns<rows.kCount, kAlikeVectors>(one, lists[b], i, 0);
      });
    }
  });
}

inline void products_of_alike(const Product& p, int* listed) {
  const RowBlocks blocks(p.rows, kAlikeRows);
  if (p.taps > 1 && blocks.count <= kMaxBlocks && blocks.count * p.spans * p.depth <= kMaxListed) {
    products_of_lists(p, blocks, listed);
    return;
  }
  DepthList list;
  list.at = listed;
  for_each_tap(p, [&](const Product& one) {
    for (int b = 0; b < blocks.count; ++b) {
      const int i = blocks.begin(b);
      with_rows<kAlikeRows>(blocks.begin(b + 1) - i, [&](auto rows) {
        list_depths<rows.kCount>(one, i, list);
        listed_columns<rows.kCount, kAlikeVectors>(one, list, i, 0);
      });
    }
  });
}

inline void skipping_product(const Product& p) {
  int listed[kMaxListed + kLanes];
  if (p.rows_alike) {
    products_of_alike(p, listed);
    return;
  }
  DepthList list;
  list.at = listed;
  for_each_tap(p, [&](const Product& one) { listed_rows<kSkipRows>(one, list, 0); });
}

}  // namespace

}  // namespace tarl::nn
