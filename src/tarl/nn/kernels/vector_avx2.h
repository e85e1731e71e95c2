// SPDX-License-Identifier: MIT
#pragma once

#include <immintrin.h>

#include "tarl/nn/kernels/kernels.h"

namespace tarl::nn {

namespace {

// Sixteen floats in two registers.
struct Vec {
  __m256 low;
  __m256 high;
};

inline constexpr int kTileRows = 6;
inline constexpr int kTileVectors = 1;
inline constexpr int kAlikeRows = 6;
inline constexpr int kAlikeVectors = 1;
// Too few registers for low, wide tiles: only single rows skip zeros.
inline constexpr int kSkipRows = 1;
inline constexpr int kSkipVectors = 1;
inline constexpr int kSkipVectorsOfOneRow = 4;

inline Vec load(const float* p) {
  return {_mm256_loadu_ps(p), _mm256_loadu_ps(p + 8)};
}

inline void store(float* p, Vec x) {
  _mm256_storeu_ps(p, x.low);
  _mm256_storeu_ps(p + 8, x.high);
}

inline void store_past_caches(float* p, Vec x) {
  _mm256_stream_ps(p, x.low);
  _mm256_stream_ps(p + 8, x.high);
}

inline void flush_stores() {
  _mm_sfence();
}

inline Vec from_bytes(FourWords words) {
  const __m128i bytes = reinterpret_cast<__m128i>(words);
  return {_mm256_cvtepi32_ps(_mm256_cvtepu8_epi32(bytes)),
          _mm256_cvtepi32_ps(_mm256_cvtepu8_epi32(_mm_srli_si128(bytes, 8)))};
}

inline Vec splat(float x) {
  const __m256 v = _mm256_set1_ps(x);
  return {v, v};
}

inline Vec zero() {
  return {_mm256_setzero_ps(), _mm256_setzero_ps()};
}

inline Vec fma(Vec a, Vec b, Vec c) {
  return {_mm256_fmadd_ps(a.low, b.low, c.low), _mm256_fmadd_ps(a.high, b.high, c.high)};
}

inline Vec fnma(Vec a, Vec b, Vec c) {
  return {_mm256_fnmadd_ps(a.low, b.low, c.low), _mm256_fnmadd_ps(a.high, b.high, c.high)};
}

inline Vec operator+(Vec a, Vec b) {
  return {_mm256_add_ps(a.low, b.low), _mm256_add_ps(a.high, b.high)};
}

inline Vec operator-(Vec a, Vec b) {
  return {_mm256_sub_ps(a.low, b.low), _mm256_sub_ps(a.high, b.high)};
}

inline Vec operator*(Vec a, Vec b) {
  return {_mm256_mul_ps(a.low, b.low), _mm256_mul_ps(a.high, b.high)};
}

inline Vec operator/(Vec a, Vec b) {
  return {_mm256_div_ps(a.low, b.low), _mm256_div_ps(a.high, b.high)};
}

inline Vec operator|(Vec a, Vec b) {
  return {_mm256_or_ps(a.low, b.low), _mm256_or_ps(a.high, b.high)};
}

inline Vec square_root(Vec a) {
  return {_mm256_sqrt_ps(a.low), _mm256_sqrt_ps(a.high)};
}

inline Vec relu(Vec a) {
  return {_mm256_max_ps(_mm256_setzero_ps(), a.low), _mm256_max_ps(_mm256_setzero_ps(), a.high)};
}

inline Vec gated(Vec x, Vec gate) {
  const __m256 low = _mm256_cmp_ps(gate.low, _mm256_setzero_ps(), _CMP_GT_OQ);
  const __m256 high = _mm256_cmp_ps(gate.high, _mm256_setzero_ps(), _CMP_GT_OQ);
  return {_mm256_and_ps(x.low, low), _mm256_and_ps(x.high, high)};
}

inline Vec flushed(Vec x) {
  const __m256 sign = _mm256_set1_ps(-0.0F), smallest = _mm256_set1_ps(__FLT_MIN__);
  const auto normal = [&](__m256 v) {
    return _mm256_and_ps(v, _mm256_cmp_ps(_mm256_andnot_ps(sign, v), smallest, _CMP_NLT_UQ));
  };
  return {normal(x.low), normal(x.high)};
}

inline unsigned nonzero_lanes(Vec x) {
  const auto lanes = [](__m256 v) {
    return static_cast<unsigned>(
        _mm256_movemask_ps(_mm256_cmp_ps(v, _mm256_setzero_ps(), _CMP_NEQ_UQ)));
  };
  return lanes(x.low) | lanes(x.high) << 8;
}

inline int list_lanes(unsigned lanes, int base, int* list) {
  int count = 0;
  for (; lanes != 0; lanes &= lanes - 1) list[count++] = base + __builtin_ctz(lanes);
  return count;
}

inline float fold(Vec x) {
  const __m256 eight = _mm256_add_ps(x.low, x.high);
  const __m128 four = _mm_add_ps(_mm256_castps256_ps128(eight), _mm256_extractf128_ps(eight, 1));
  const __m128 two = _mm_add_ps(four, _mm_movehl_ps(four, four));
  return _mm_cvtss_f32(_mm_add_ss(two, _mm_movehdup_ps(two)));
}

inline void transpose8(__m256 (&r)[8]) {
  __m256 t[8];
#pragma GCC unroll 8
  for (int i = 0; i < 8; i += 2) {
    t[i] = _mm256_unpacklo_ps(r[i], r[i + 1]);
    t[i + 1] = _mm256_unpackhi_ps(r[i], r[i + 1]);
  }
  __m256 q[8];
#pragma GCC unroll 8
  for (int i = 0; i < 8; i += 4) {
    q[i] = _mm256_shuffle_ps(t[i], t[i + 2], 0x44);
    q[i + 1] = _mm256_shuffle_ps(t[i], t[i + 2], 0xee);
    q[i + 2] = _mm256_shuffle_ps(t[i + 1], t[i + 3], 0x44);
    q[i + 3] = _mm256_shuffle_ps(t[i + 1], t[i + 3], 0xee);
  }
#pragma GCC unroll 8
  for (int i = 0; i < 4; ++i) {
    r[i] = _mm256_permute2f128_ps(q[i], q[i + 4], 0x20);
    r[i + 4] = _mm256_permute2f128_ps(q[i], q[i + 4], 0x31);
  }
}

inline void transpose16(Vec (&r)[16]) {
  __m256 block[4][8];
#pragma GCC unroll 8
  for (int i = 0; i < 8; ++i) {
    block[0][i] = r[i].low;
    block[1][i] = r[i].high;
    block[2][i] = r[i + 8].low;
    block[3][i] = r[i + 8].high;
  }
  for (auto& quarter : block) transpose8(quarter);
#pragma GCC unroll 8
  for (int i = 0; i < 8; ++i) {
    r[i] = {block[0][i], block[2][i]};
    r[i + 8] = {block[1][i], block[3][i]};
  }
}

}  // namespace

}  // namespace tarl::nn
