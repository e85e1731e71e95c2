// SPDX-License-Identifier: MIT
#pragma once

// The decomposition of a product into tiles, and how a tile begins and ends; in between, its sums
// stay in registers.

#include "tarl/nn/kernels/kernels.h"

namespace tarl::nn {

namespace {

// Block b of the rows: as few blocks as tiles of that height allow, of nearly equal height, since a
// low tile takes as long as a high one.
struct RowBlocks {
  RowBlocks(int all, int height) : rows(all), count((all + height - 1) / height) {}

  int begin(int b) const { return static_cast<int>(static_cast<long>(rows) * b / count); }

  int rows;
  int count;
};

// Calls work(product) for each of the products that share A, in order.
template <class Work>
inline void for_each_tap(const Product& p, Work work) {
  if (p.taps == 1 && p.c_taps == nullptr) {
    work(p);
    return;
  }
  Product one = p;
  one.taps = 1;
  one.c_taps = nullptr;
  for (int t = 0; t < p.taps; ++t) {
    one.b = p.b + t * p.b_tap;
    one.c = p.c + (p.c_taps != nullptr ? p.c_taps[t] : 0);
    work(one);
  }
}

template <int kRows, int kVectors>
inline void start_tile(const Product& p, int i, int j, Vec (&c)[kRows][kVectors]) {
  if (p.accumulate) {
#pragma GCC unroll 16
    for (int r = 0; r < kRows; ++r) {
#pragma GCC unroll 4
      for (int v = 0; v < kVectors; ++v) {
        c[r][v] = load(p.c + (i + r) * p.c_stride + j + vectors(v));
      }
    }
    return;
  }
#pragma GCC unroll 4
  for (int v = 0; v < kVectors; ++v) {
    const Vec first = p.bias != nullptr ? load(p.bias + j + vectors(v)) : zero();
#pragma GCC unroll 16
    for (int r = 0; r < kRows; ++r) c[r][v] = first;
  }
}

template <int kRows, int kVectors, class Map>
inline void store_tile(const Product& p, int i, int j, Vec (&c)[kRows][kVectors], Map map) {
#pragma GCC unroll 16
  for (int r = 0; r < kRows; ++r) {
#pragma GCC unroll 4
    for (int v = 0; v < kVectors; ++v) {
      const int column = j + kLanes * v;
      store(p.c + (i + r) * p.c_stride + column, map(c[r][v], i + r, column));
    }
  }
}

template <int kRows, int kVectors>
inline void finish_tile(const Product& p, int i, int j, Vec (&c)[kRows][kVectors]) {
  switch (p.finish) {
    case Finish::kStore:
      store_tile(p, i, j, c, [](Vec x, int, int) { return x; });
      break;
    case Finish::kRelu:
      store_tile(p, i, j, c, [](Vec x, int, int) { return relu(x); });
      break;
    case Finish::kGate:
      store_tile(p, i, j, c, [&](Vec x, int row, int column) {
        return gated(x, load(p.gate + row * p.gate_stride + column));
      });
      break;
  }
}

}  // namespace

}  // namespace tarl::nn
