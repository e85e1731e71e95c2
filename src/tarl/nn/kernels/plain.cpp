// SPDX-License-Identifier: MIT
//
// Compiled with flags of its own: nothing here may be shared with other files, so no templates of
// the standard library.

// The vector comes before the kernels that are written over it.
// clang-format off
#include "tarl/nn/kernels/vector_plain.h"
#include "tarl/nn/kernels/table.h"

// clang-format on

namespace tarl::nn::plain {

const Kernels& table() {
  static constexpr Kernels kTable = make_table("plain");
  return kTable;
}

}  // namespace tarl::nn::plain
