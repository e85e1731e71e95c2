// SPDX-License-Identifier: MIT
#pragma once

#include <bit>

#include "tarl/nn/kernels/kernels.h"

namespace tarl::nn {

namespace {

// Sixteen floats, one at a time: the fallback, and the definition that the others are tested
// against.
struct Vec {
  float lane[16];
};

inline constexpr int kTileRows = 4;
inline constexpr int kTileVectors = 1;
inline constexpr int kAlikeRows = 4;
inline constexpr int kAlikeVectors = 1;
inline constexpr int kSkipRows = 4;
inline constexpr int kSkipVectors = 1;
inline constexpr int kSkipVectorsOfOneRow = 4;

template <class F>
inline Vec each(F f) {
  Vec out;
  for (int i = 0; i < 16; ++i) out.lane[i] = f(i);
  return out;
}

inline Vec load(const float* p) {
  return each([&](int i) { return p[i]; });
}

inline void store(float* p, Vec x) {
  for (int i = 0; i < 16; ++i) p[i] = x.lane[i];
}

inline void store_past_caches(float* p, Vec x) {
  store(p, x);
}

inline void flush_stores() {}

inline Vec from_bytes(FourWords words) {
  return each([&](int i) { return static_cast<float>((words[i / 4] >> (8 * (i % 4))) & 0xFFU); });
}

inline Vec splat(float x) {
  return each([&](int) { return x; });
}

inline Vec zero() {
  return splat(0.0F);
}

inline Vec fma(Vec a, Vec b, Vec c) {
  return each([&](int i) { return __builtin_fmaf(a.lane[i], b.lane[i], c.lane[i]); });
}

inline Vec fnma(Vec a, Vec b, Vec c) {
  return each([&](int i) { return __builtin_fmaf(-a.lane[i], b.lane[i], c.lane[i]); });
}

inline Vec operator+(Vec a, Vec b) {
  return each([&](int i) { return a.lane[i] + b.lane[i]; });
}

inline Vec operator-(Vec a, Vec b) {
  return each([&](int i) { return a.lane[i] - b.lane[i]; });
}

inline Vec operator*(Vec a, Vec b) {
  return each([&](int i) { return a.lane[i] * b.lane[i]; });
}

inline Vec operator/(Vec a, Vec b) {
  return each([&](int i) { return a.lane[i] / b.lane[i]; });
}

inline Vec operator|(Vec a, Vec b) {
  return each([&](int i) {
    return std::bit_cast<float>(std::bit_cast<unsigned>(a.lane[i]) |
                                std::bit_cast<unsigned>(b.lane[i]));
  });
}

inline Vec square_root(Vec a) {
  return each([&](int i) { return __builtin_sqrtf(a.lane[i]); });
}

inline Vec relu(Vec a) {
  return each([&](int i) { return 0.0F > a.lane[i] ? 0.0F : a.lane[i]; });
}

inline Vec gated(Vec x, Vec gate) {
  return each([&](int i) { return gate.lane[i] > 0.0F ? x.lane[i] : 0.0F; });
}

inline Vec flushed(Vec x) {
  return each([&](int i) { return __builtin_fabsf(x.lane[i]) < __FLT_MIN__ ? 0.0F : x.lane[i]; });
}

inline unsigned nonzero_lanes(Vec x) {
  unsigned lanes = 0;
  for (int i = 0; i < 16; ++i) lanes |= (x.lane[i] != 0.0F ? 1U : 0U) << i;
  return lanes;
}

inline int list_lanes(unsigned lanes, int base, int* list) {
  int count = 0;
  for (; lanes != 0; lanes &= lanes - 1) list[count++] = base + __builtin_ctz(lanes);
  return count;
}

inline float fold(Vec x) {
  for (int half = 8; half > 0; half /= 2) {
    for (int i = 0; i < half; ++i) x.lane[i] += x.lane[i + half];
  }
  return x.lane[0];
}

inline void transpose16(Vec (&r)[16]) {
  for (int i = 0; i < 16; ++i) {
    for (int j = 0; j < i; ++j) {
      const float kept = r[i].lane[j];
      r[i].lane[j] = r[j].lane[i];
      r[j].lane[i] = kept;
    }
  }
}

}  // namespace

}  // namespace tarl::nn
