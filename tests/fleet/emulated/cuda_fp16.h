// SPDX-License-Identifier: MIT
//
// Half precision under CUDA's names.
#pragma once

#include <cstdint>

#include <cuda_runtime.h>
#include <immintrin.h>

struct __half {
  std::uint16_t bits;
};

struct alignas(4) __half2 {
  __half x, y;
};

inline float __half2float(__half h) {
  return _cvtsh_ss(h.bits);
}

// Rounds to nearest even.
inline __half __float2half_rn(float x) {
  return {_cvtss_sh(x, _MM_FROUND_TO_NEAREST_INT)};
}

inline float2 __half22float2(__half2 h) {
  return {__half2float(h.x), __half2float(h.y)};
}
