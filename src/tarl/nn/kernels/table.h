// SPDX-License-Identifier: MIT
#pragma once

// The table of the instruction set whose vector header precedes this one.

#include "tarl/nn/kernels/bit_conv.h"
#include "tarl/nn/kernels/byte_image.h"
#include "tarl/nn/kernels/elementwise.h"
#include "tarl/nn/kernels/product.h"
#include "tarl/nn/kernels/rows.h"

namespace tarl::nn {

namespace {

constexpr Kernels make_table(const char* name) {
  return {name,        product, transpose, column_sums, row_dots, outer_rows,       weighted_sums,
          sum_squares, polyak,  rmsprop,   adam,        bit_conv, bit_conv_weights, block_bytes,
          close_gates, burn};
}

}  // namespace

}  // namespace tarl::nn
