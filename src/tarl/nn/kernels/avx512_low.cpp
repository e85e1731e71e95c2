// SPDX-License-Identifier: MIT
//
// Compiled with flags of its own: nothing here may be shared with other files, so no templates of
// the standard library.

// The vector and its tiles come before the kernels that are written over them.
// clang-format off
#include "tarl/nn/kernels/vector_avx512.h"
#include "tarl/nn/kernels/tiles_low.h"
#include "tarl/nn/kernels/table.h"

// clang-format on

namespace tarl::nn::avx512_low {

const Kernels& table() {
  static constexpr Kernels kTable = make_table("avx512-low");
  return kTable;
}

}  // namespace tarl::nn::avx512_low
