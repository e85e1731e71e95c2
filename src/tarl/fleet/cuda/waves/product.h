// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include "tarl/core/host_device.h"

// What waves consist of. A wave is a list of items, one for each agent in it; every kernel runs
// over all of them with the same number of blocks per item, and blocks that an item has no work for
// exit at once. An agent's results come from its own arrays in a fixed order, whichever agents
// share the wave.
namespace tarl::fleet {

inline constexpr int kBlockThreads = 256;
inline constexpr int kHalfDepth = 32;  // of one step on tensor cores
inline constexpr int kTile = 64;       // rows and columns of a product that a block computes

enum class Finish : std::int32_t { kStore, kRelu, kGate };

// Which operand of a product is a gradient.
enum class Slopes : std::int32_t { kNone, kOfA, kOfB };

// nn::Product with arbitrary strides: C = A B, where every element is one chain of fused
// multiply-adds over the depth, in ascending order, starting from the bias or zero. Rows of A and C
// and the depths of A and B may go through index lists.
struct Product {
  const float* a = nullptr;  // A(i, k) = a[i * a_row + k * a_depth]
  const float* b = nullptr;  // B(k, j) = b[k * b_depth + j * b_column]
  float* c = nullptr;        // C(i, j) = c[i * c_row + j]
  const float* bias = nullptr;
  const float* gate = nullptr;  // same shape as C, for kGate
  const std::int32_t *a_rows = nullptr, *a_depths = nullptr, *b_depths = nullptr;
  const std::int32_t *gate_rows = nullptr, *c_rows = nullptr;
  std::int32_t* bad = nullptr;  // set if an element's square is not finite
  std::int32_t rows = 0;        // if negative, -rows for each observation that the item acts on
  std::int32_t columns = 0, depth = 0;
  std::int32_t a_row = 0, a_depth = 1, b_depth = 0, b_column = 1, c_row = 0, gate_row = 0;
  Finish finish = Finish::kStore;
  bool dots = false;      // forward, one output: b holds its weights; summed as in nn's row_dots
  bool optional = false;  // items may skip it

  // On tensor cores: operands are rounded to fp16. Slopes are first multiplied by slope_scale() of
  // the update's largest one, and the sums divided by it. Sums are also multiplied by `after`
  // before the bias is added. The depth may be split into `splits` parts, whose sums are stored
  // c_split floats apart.
  bool halves = false;
  Slopes slopes = Slopes::kNone;
  const float* largest_slope = nullptr;
  float after = 1;
  std::int32_t splits = 1, c_split = 0;

  TARL_HOST_DEVICE int rows_of(int act_rows) const { return rows < 0 ? -rows * act_rows : rows; }

  TARL_HOST_DEVICE int tiles_of_split(int all_rows) const {
    return (all_rows + kTile - 1) / kTile * ((columns + kTile - 1) / kTile);
  }

  TARL_HOST_DEVICE int tiles(int all_rows) const { return splits * tiles_of_split(all_rows); }

  TARL_HOST_DEVICE int split_depth() const {
    const int even = (depth + splits - 1) / splits;
    return (even + kHalfDepth - 1) / kHalfDepth * kHalfDepth;
  }
};

// Independent products, which one kernel computes.
struct PhaseView {
  const Product* products = nullptr;
  std::int32_t count = 0;
};

}  // namespace tarl::fleet
