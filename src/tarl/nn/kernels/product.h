// SPDX-License-Identifier: MIT
#pragma once

// Matrix products in terms of the Vec of the instruction set included before this header.

#include "tarl/nn/kernels/kernels.h"
#include "tarl/nn/kernels/skipping.h"
#include "tarl/nn/kernels/tile.h"

namespace tarl::nn {

namespace {

// Register tile of rows [i, i + kRows) and vectors [j, j + 16 kVectors): all sums stay in registers
// over the whole depth. With kDense the depth stride of A is known to be 1.
template <int kRows, int kVectors, bool kDense>
[[gnu::noinline]] void tile(const Product& p, int i, int j) {
  Vec c[kRows][kVectors];
  start_tile<kRows, kVectors>(p, i, j, c);
  const float* b = p.b + j;
  const long a_row = p.a_row;
  const long a_depth = kDense ? 1 : p.a_depth;
  for (int span = 0; span < p.spans; ++span) {
    const float* a = p.a + i * a_row + span * p.a_span;
#pragma GCC unroll 4
    for (int k = 0; k < p.depth; ++k) {
      Vec row[kVectors];
#pragma GCC unroll 4
      for (int v = 0; v < kVectors; ++v) row[v] = load(b + vectors(v));
#pragma GCC unroll 16
      for (int r = 0; r < kRows; ++r) {
        const Vec x = splat(a[r * a_row]);
#pragma GCC unroll 4
        for (int v = 0; v < kVectors; ++v) c[r][v] = fma(x, row[v], c[r][v]);
      }
      a += a_depth;
      b += p.b_stride;
    }
  }
  finish_tile<kRows, kVectors>(p, i, j, c);
}

// Calls the tile for the given number of rows, 1 to kRows.
template <int kRows, int kVectors, bool kDense>
inline void tile_of(int rows, const Product& p, int i, int j) {
  if constexpr (kRows > 1) {
    if (rows < kRows) {
      tile_of<kRows - 1, kVectors, kDense>(rows, p, i, j);
      return;
    }
  }
  tile<kRows, kVectors, kDense>(p, i, j);
}

template <int kVectors, bool kDense>
inline void row_block(const Product& p, const RowBlocks& blocks, int b, int j) {
  const int i = blocks.begin(b);
  tile_of<kTileRows, kVectors, kDense>(blocks.begin(b + 1) - i, p, i, j);
}

template <bool kDense>
inline void product_tiles(const Product& p) {
  constexpr int kWidth = kLanes * kTileVectors;
  const RowBlocks blocks(p.rows, kTileRows);
  const int whole = p.columns / kWidth * kWidth;
  if (p.columns_outer) {
    for (int j = 0; j < whole; j += kWidth) {
      for (int b = 0; b < blocks.count; ++b) row_block<kTileVectors, kDense>(p, blocks, b, j);
    }
    for (int j = whole; j < p.columns; j += kLanes) {
      for (int b = 0; b < blocks.count; ++b) row_block<1, kDense>(p, blocks, b, j);
    }
    return;
  }
  for (int b = 0; b < blocks.count; ++b) {
    for (int j = 0; j < whole; j += kWidth) row_block<kTileVectors, kDense>(p, blocks, b, j);
    for (int j = whole; j < p.columns; j += kLanes) row_block<1, kDense>(p, blocks, b, j);
  }
}

inline void product(const Product& p) {
  if (skips(p)) {
    skipping_product(p);
    return;
  }
  for_each_tap(p, [](const Product& one) {
    one.a_depth == 1 ? product_tiles<true>(one) : product_tiles<false>(one);
  });
}

inline void transpose(const Transpose& p) {
  for (int c = 0; c < p.columns; c += kLanes) {
    for (int r = 0; r < p.rows; r += kLanes) {
      Vec block[16];
#pragma GCC unroll 16
      for (int i = 0; i < 16; ++i) block[i] = load(p.src + (r + i) * p.src_stride + c);
      transpose16(block);
      float* dst = p.dst + c * p.dst_stride + r;
      if (p.gate != nullptr) {
        const float* gate = p.gate + c * p.gate_stride + r;
#pragma GCC unroll 16
        for (int i = 0; i < 16; ++i) block[i] = gated(block[i], load(gate + i * p.gate_stride));
      }
#pragma GCC unroll 16
      for (int i = 0; i < 16; ++i) store(dst + i * p.dst_stride, block[i]);
    }
  }
}

}  // namespace

}  // namespace tarl::nn
