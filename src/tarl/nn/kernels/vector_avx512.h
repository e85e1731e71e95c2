// SPDX-License-Identifier: MIT
#pragma once

// g++ 12 warns about the deliberately undefined operands inside these intrinsics.
#pragma GCC diagnostic ignored "-Wuninitialized"
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#include <immintrin.h>

#include "tarl/nn/kernels/kernels.h"

namespace tarl::nn {

// Internal linkage is intentional, here and in every header of this folder except kernels.h: each
// instruction set compiles its own copy, and the linker must not merge them.
namespace {

// Sixteen floats in one register.
struct Vec {
  __m512 v;
};

inline constexpr int kTileVectors = 2;
// For products that skip zeros: low, so that few rows share a tile.
inline constexpr int kSkipRows = 4;
inline constexpr int kSkipVectors = 4;
inline constexpr int kSkipVectorsOfOneRow = 8;
// For products whose rows are alike.
inline constexpr int kAlikeRows = 8;
inline constexpr int kAlikeVectors = 2;

inline Vec load(const float* p) {
  return {_mm512_loadu_ps(p)};
}

inline void store(float* p, Vec x) {
  _mm512_storeu_ps(p, x.v);
}

// Non-temporal store; p must be aligned to a whole vector. Others may read after flush_stores().
inline void store_past_caches(float* p, Vec x) {
  _mm512_stream_ps(p, x.v);
}

inline void flush_stores() {
  _mm_sfence();
}

inline Vec from_bytes(FourWords words) {
  return {_mm512_cvtepi32_ps(_mm512_cvtepu8_epi32(reinterpret_cast<__m128i>(words)))};
}

inline Vec splat(float x) {
  return {_mm512_set1_ps(x)};
}

inline Vec zero() {
  return {_mm512_setzero_ps()};
}

inline Vec fma(Vec a, Vec b, Vec c) {
  return {_mm512_fmadd_ps(a.v, b.v, c.v)};
}

// c - a b
inline Vec fnma(Vec a, Vec b, Vec c) {
  return {_mm512_fnmadd_ps(a.v, b.v, c.v)};
}

inline Vec operator+(Vec a, Vec b) {
  return {_mm512_add_ps(a.v, b.v)};
}

inline Vec operator-(Vec a, Vec b) {
  return {_mm512_sub_ps(a.v, b.v)};
}

inline Vec operator*(Vec a, Vec b) {
  return {_mm512_mul_ps(a.v, b.v)};
}

inline Vec operator/(Vec a, Vec b) {
  return {_mm512_div_ps(a.v, b.v)};
}

// Bitwise.
inline Vec operator|(Vec a, Vec b) {
  return {_mm512_or_ps(a.v, b.v)};
}

inline Vec square_root(Vec a) {
  return {_mm512_sqrt_ps(a.v)};
}

// 0 > a ? 0 : a, so that NaN propagates.
inline Vec relu(Vec a) {
  return {_mm512_max_ps(_mm512_setzero_ps(), a.v)};
}

// gate > 0 ? x : +0
inline Vec gated(Vec x, Vec gate) {
  const __mmask16 open = _mm512_cmp_ps_mask(gate.v, _mm512_setzero_ps(), _CMP_GT_OQ);
  return {_mm512_maskz_mov_ps(open, x.v)};
}

// Flushes subnormal values, on which arithmetic is slow, to zero.
inline Vec flushed(Vec x) {
  const __m512 smallest = _mm512_set1_ps(__FLT_MIN__);
  const __mmask16 normal = _mm512_cmp_ps_mask(_mm512_abs_ps(x.v), smallest, _CMP_NLT_UQ);
  return {_mm512_maskz_mov_ps(normal, x.v)};
}

// Bit i is set if lane i is not zero.
inline unsigned nonzero_lanes(Vec x) {
  __mmask16 lanes = _mm512_cmp_ps_mask(x.v, _mm512_setzero_ps(), _CMP_NEQ_UQ);
  // Under register pressure, as with the thread sanitizer, g++ 12 widens a mask by storing 16 bits
  // and loading 32. The barrier forces it into a general register, from which it is widened
  // correctly.
  asm("" : "+r"(lanes));
  return lanes;
}

// Writes base + i for every set bit i in ascending order and returns their number; overwrites 16
// entries.
inline int list_lanes(unsigned lanes, int base, int* list) {
  const __m512i all =
      _mm512_add_epi32(_mm512_set1_epi32(base),
                       _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15));
  const auto mask = static_cast<__mmask16>(lanes);
  _mm512_storeu_si512(list, _mm512_maskz_compress_epi32(mask, all));
  return __builtin_popcount(lanes);
}

// Adds lanes i and i+8, then +4, +2, +1.
inline float fold(Vec x) {
  const __m256 eight = _mm256_add_ps(_mm512_castps512_ps256(x.v), _mm512_extractf32x8_ps(x.v, 1));
  const __m128 four = _mm_add_ps(_mm256_castps256_ps128(eight), _mm256_extractf128_ps(eight, 1));
  const __m128 two = _mm_add_ps(four, _mm_movehl_ps(four, four));
  return _mm_cvtss_f32(_mm_add_ss(two, _mm_movehdup_ps(two)));
}

// Transposes sixteen vectors in place.
inline void transpose16(Vec (&r)[16]) {
  __m512 t[16];
#pragma GCC unroll 16
  for (int i = 0; i < 16; i += 2) {
    t[i] = _mm512_unpacklo_ps(r[i].v, r[i + 1].v);
    t[i + 1] = _mm512_unpackhi_ps(r[i].v, r[i + 1].v);
  }
  const auto low = [](__m512 a, __m512 b) {
    return _mm512_castpd_ps(_mm512_unpacklo_pd(_mm512_castps_pd(a), _mm512_castps_pd(b)));
  };
  const auto high = [](__m512 a, __m512 b) {
    return _mm512_castpd_ps(_mm512_unpackhi_pd(_mm512_castps_pd(a), _mm512_castps_pd(b)));
  };
  __m512 q[16];
#pragma GCC unroll 16
  for (int i = 0; i < 16; i += 4) {
    q[i] = low(t[i], t[i + 2]);
    q[i + 1] = high(t[i], t[i + 2]);
    q[i + 2] = low(t[i + 1], t[i + 3]);
    q[i + 3] = high(t[i + 1], t[i + 3]);
  }
#pragma GCC unroll 16
  for (int i = 0; i < 4; ++i) {
    t[i] = _mm512_shuffle_f32x4(q[i], q[i + 4], 0x88);
    t[i + 4] = _mm512_shuffle_f32x4(q[i], q[i + 4], 0xdd);
    t[i + 8] = _mm512_shuffle_f32x4(q[i + 8], q[i + 12], 0x88);
    t[i + 12] = _mm512_shuffle_f32x4(q[i + 8], q[i + 12], 0xdd);
  }
#pragma GCC unroll 16
  for (int i = 0; i < 4; ++i) {
    r[i].v = _mm512_shuffle_f32x4(t[i], t[i + 8], 0x88);
    r[i + 4].v = _mm512_shuffle_f32x4(t[i + 4], t[i + 12], 0x88);
    r[i + 8].v = _mm512_shuffle_f32x4(t[i], t[i + 8], 0xdd);
    r[i + 12].v = _mm512_shuffle_f32x4(t[i + 4], t[i + 12], 0xdd);
  }
}

}  // namespace

}  // namespace tarl::nn
