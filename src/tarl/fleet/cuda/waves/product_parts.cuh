// SPDX-License-Identifier: MIT
#pragma once

#include "tarl/fleet/cuda/waves/place.cuh"

// What the tiles of f32 and fp16 products have in common.
namespace tarl::fleet {

inline constexpr int kUnits = 16;  // of depth in one step: floats, or pairs of fp16 numbers

__device__ inline long looked_up(const std::int32_t* list, int at) {
  return list != nullptr ? list[at] : at;
}

// The rows of A, or columns of B, that a thread reads in a tile, and its units in each step.
// Neighbouring threads read neighbouring floats, along whichever stride is one.
struct OperandLines {
  static constexpr int kEach = kTile * kUnits / kBlockThreads;

  const float* line[kEach];  // null beyond the operand
  const std::int32_t* depths;
  long depth;  // floats from one depth to the next
  bool by_depth;

  __device__ static OperandLines of_a(const Product& p, int row0, int rows) {
    OperandLines lines{{}, p.a_depths, p.a_depth, p.a_depth == 1};
#pragma unroll
    for (int e = 0; e < kEach; ++e) {
      const int row = row0 + lines.line_of(e);
      lines.line[e] = row < rows ? p.a + looked_up(p.a_rows, row) * p.a_row : nullptr;
    }
    return lines;
  }

  __device__ static OperandLines of_b(const Product& p, int column0) {
    OperandLines lines{{}, p.b_depths, p.b_depth, p.b_depth == 1};
#pragma unroll
    for (int e = 0; e < kEach; ++e) {
      const int column = column0 + lines.line_of(e);
      lines.line[e] = column < p.columns ? p.b + static_cast<long>(column) * p.b_column : nullptr;
    }
    return lines;
  }

  __device__ int line_of(int e) const {
    const int at = thread_of_block() + e * kBlockThreads;
    return by_depth ? at / kUnits : at % kTile;
  }

  __device__ int unit_of(int e) const {
    const int at = thread_of_block() + e * kBlockThreads;
    return by_depth ? at % kUnits : at / kTile;
  }

  // Zero beyond the operand.
  __device__ float at(int e, int k, int end) const {
    return line[e] != nullptr && k < end ? line[e][looked_up(depths, k) * depth] : 0.0F;
  }
};

// An element of a product, after its ReLU or gate.
__device__ inline float finished(const Product& p, float value, int row, int column) {
  if (p.finish == Finish::kRelu) return 0.0F > value ? 0.0F : value;
  if (p.finish == Finish::kStore) return value;
  return p.gate[looked_up(p.gate_rows, row) * p.gate_row + column] > 0.0F ? value : 0.0F;
}

// Stores it; returns whether its square is finite.
__device__ inline bool store_finished(const Product& p, float sum, int row, int column, float* c) {
  const float value = finished(p, sum, row, column);
  c[looked_up(p.c_rows, row) * p.c_row + column] = value;
  return isfinite(value * value);
}

}  // namespace tarl::fleet
