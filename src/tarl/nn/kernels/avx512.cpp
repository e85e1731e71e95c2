// SPDX-License-Identifier: MIT
//
// Compiled with flags of its own: nothing here may be shared with other files, so no templates of
// the standard library.

// The vector comes before the kernels that are written over it.
// clang-format off
#include "tarl/nn/kernels/vector_avx512.h"
#include "tarl/nn/kernels/table.h"

// clang-format on

namespace tarl::nn::avx512 {

const Kernels& table() {
  static constexpr Kernels kTable = make_table("avx512");
  return kTable;
}

}  // namespace tarl::nn::avx512
