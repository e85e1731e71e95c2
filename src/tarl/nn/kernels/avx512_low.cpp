// SPDX-License-Identifier: MIT
//
// Compiled with its own flags: no code here may be shared with other files, hence no standard
// library templates.

// The vector type and its tiles must precede the kernels that are written in terms of them.
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
