// SPDX-License-Identifier: MIT
#pragma once

// Sums over rows and columns, and layers with a single output.

#include "tarl/nn/kernels/kernels.h"

namespace tarl::nn {

namespace {

// kVectors independent chains hide each other's latency.
template <int kVectors, class Term>
inline void chains(int rows, float* out, Term term) {
  Vec sum[kVectors];
#pragma GCC unroll 8
  for (int v = 0; v < kVectors; ++v) sum[v] = zero();
  for (int i = 0; i < rows; ++i) {
#pragma GCC unroll 8
    for (int v = 0; v < kVectors; ++v) sum[v] = term(i, v, sum[v]);
  }
#pragma GCC unroll 8
  for (int v = 0; v < kVectors; ++v) store(out + vectors(v), sum[v]);
}

template <class Term>
inline void all_chains(int rows, int columns, float* out, Term term) {
  constexpr int kWide = 4;
  int j = 0;
  for (; j + kLanes * kWide <= columns; j += kLanes * kWide) {
    chains<kWide>(rows, out + j,
                  [&](int i, int v, Vec sum) { return term(i, j + kLanes * v, sum); });
  }
  for (; j < columns; j += kLanes) {
    chains<1>(rows, out + j, [&](int i, int, Vec sum) { return term(i, j, sum); });
  }
}

inline void column_sums(const float* x, long stride, int rows, int columns, float* out) {
  all_chains(rows, columns, out,
             [&](int i, int j, Vec sum) { return sum + load(x + i * stride + j); });
}

inline void weighted_sums(const float* dy, long dy_stride, const float* x, long stride, int rows,
                          int columns, float* out) {
  all_chains(rows, columns, out, [&](int i, int j, Vec sum) {
    return fma(splat(dy[i * dy_stride]), load(x + i * stride + j), sum);
  });
}

// The last, partial vector of a row, zero-filled.
inline Vec load_tail(const float* p, int count) {
  float lanes[kLanes] = {};
  for (int i = 0; i < count; ++i) lanes[i] = p[i];
  return load(lanes);
}

inline void row_dots(const float* x, long stride, int rows, int depth, const float* w, float bias,
                     float* y, long y_stride) {
  const int whole = depth / kLanes * kLanes;
  for (int i = 0; i < rows; ++i) {
    const float* row = x + i * stride;
    Vec sum = zero();
    for (int k = 0; k < whole; k += kLanes) sum = fma(load(row + k), load(w + k), sum);
    if (whole < depth) {
      sum = fma(load_tail(row + whole, depth - whole), load_tail(w + whole, depth - whole), sum);
    }
    y[i * y_stride] = bias + fold(sum);
  }
}

inline void outer_rows(const OuterRows& given) {
  const OuterRows p = given;  // a copy, so that the compiler knows the stores cannot alias it
  for (int i = 0; i < p.rows; ++i) {
    const Vec d = splat(p.dy[i * p.dy_stride]);
    for (int k = 0; k < p.columns; k += kLanes) {
      Vec x = d * load(p.w + k);
      if (p.gate != nullptr) x = gated(x, load(p.gate + i * p.gate_stride + k));
      store(p.dx + i * p.dx_stride + k, x);
    }
  }
}

}  // namespace

}  // namespace tarl::nn
