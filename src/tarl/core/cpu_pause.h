// SPDX-License-Identifier: MIT
#pragma once

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace tarl {

// For loops that spin until another thread writes.
inline void cpu_pause() {
#if defined(__x86_64__)
  _mm_pause();
#endif
}

}  // namespace tarl
