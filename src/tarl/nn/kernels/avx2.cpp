// SPDX-License-Identifier: MIT
//
// Compiled with its own flags: no code here may be shared with other files, hence no standard
// library templates.

// The vector type must precede the kernels that are written in terms of it.
// clang-format off
#include "tarl/nn/kernels/vector_avx2.h"
#include "tarl/nn/kernels/table.h"

// clang-format on

namespace tarl::nn::avx2 {

const Kernels& table() {
  static constexpr Kernels kTable = make_table("avx2");
  return kTable;
}

}  // namespace tarl::nn::avx2
