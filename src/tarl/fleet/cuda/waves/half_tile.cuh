// SPDX-License-Identifier: MIT
#pragma once

#include "tarl/fleet/cuda/ptx.cuh"
#include "tarl/fleet/cuda/waves/product_parts.cuh"
#include "tarl/fleet/cuda/waves/slopes.cuh"

// Products on tensor cores: operands rounded to fp16 as they are read, sums in f32.
namespace tarl::fleet {

static_assert(kHalfDepth == 2 * kUnits);
inline constexpr int kHalfPitch = kUnits + 4;         // a fragment's rows are in different banks
inline constexpr int kHalfStep = 16;                  // depth of an instruction
inline constexpr int kWarpRows = 16, kWarpTiles = 4;  // of 8 columns

struct HalfRoom {
  alignas(16) std::uint32_t a[kTile][kHalfPitch], b[kTile][kHalfPitch];
};

// 64 x 64 elements of a product, over a part of its depth; each warp has 16 x 32 of them.
class HalfTile {
 public:
  __device__ HalfTile(const Product& product, HalfRoom& room, int rows, int tile)
      : p_(product), room_(room), rows_(rows) {
    const int across = (p_.columns + kTile - 1) / kTile;
    const int split = tile / p_.tiles_of_split(rows);
    tile %= p_.tiles_of_split(rows);
    row0_ = tile / across * kTile;
    column0_ = tile % across * kTile;
    begin_ = split * p_.split_depth();
    const int end = begin_ + p_.split_depth();
    end_ = end < p_.depth ? end : p_.depth;
    c_ = p_.c + static_cast<long>(split) * p_.c_split;
    const float scale = p_.slopes == Slopes::kNone ? 1.0F : slope_scale(*p_.largest_slope);
    scale_a_ = p_.slopes == Slopes::kOfA ? scale : 1.0F;
    scale_b_ = p_.slopes == Slopes::kOfB ? scale : 1.0F;
    after_ = p_.after / scale;
  }

  __device__ void run() {
    const OperandLines a = OperandLines::of_a(p_, row0_, rows_);
    const OperandLines b = OperandLines::of_b(p_, column0_);
    Words a_words, b_words;
    load(a, scale_a_, begin_, a_words);
    load(b, scale_b_, begin_, b_words);
    for (int k0 = begin_; k0 < end_; k0 += kHalfDepth) {
      __syncthreads();
      put(a, a_words, room_.a);
      put(b, b_words, room_.b);
      __syncthreads();
      if (k0 + kHalfDepth < end_) {
        load(a, scale_a_, k0 + kHalfDepth, a_words);
        load(b, scale_b_, k0 + kHalfDepth, b_words);
      }
#pragma unroll
      for (int word = 0; word < kUnits; word += kHalfStep / 2) multiply(word);
    }
    finish();
  }

 private:
  using Words = std::uint32_t[OperandLines::kEach];

  __device__ void load(const OperandLines& lines, float scale, int k0, Words& words) const {
#pragma unroll
    for (int e = 0; e < OperandLines::kEach; ++e) {
      const int k = k0 + 2 * lines.unit_of(e);
      words[e] = ptx::pack(scale * lines.at(e, k, end_), scale * lines.at(e, k + 1, end_));
    }
  }

  __device__ static void put(const OperandLines& lines, const Words& words,
                             std::uint32_t (&to)[kTile][kHalfPitch]) {
#pragma unroll
    for (int e = 0; e < OperandLines::kEach; ++e) to[lines.line_of(e)][lines.unit_of(e)] = words[e];
  }

  __device__ static int my_row() {  // the first row; the second is 8 below
    return thread_of_block() / 32 % 4 * kWarpRows + lane_of_warp() / 4;
  }

  __device__ static int my_columns() {
    return thread_of_block() / 128 * 8 * kWarpTiles;
  }

  __device__ void multiply(int word) {
    const int lane = lane_of_warp(), at = word + lane % 4;
    const std::uint32_t(&upper)[kHalfPitch] = room_.a[my_row()];
    const std::uint32_t(&lower)[kHalfPitch] = room_.a[my_row() + 8];
#pragma unroll
    for (int n = 0; n < kWarpTiles; ++n) {
      const std::uint32_t(&column)[kHalfPitch] = room_.b[my_columns() + 8 * n + lane / 4];
      ptx::mma(sum_[n], upper[at], lower[at], upper[at + 4], lower[at + 4], column[at],
               column[at + 4]);
    }
  }

  __device__ float bias_at(int column) const {
    return p_.bias != nullptr ? p_.bias[column] : 0.0F;
  }

  __device__ void finish() {
    bool bad = false;
#pragma unroll
    for (int n = 0; n < kWarpTiles; ++n) {
#pragma unroll
      for (int i = 0; i < 4; ++i) {
        const int row = row0_ + my_row() + i / 2 * 8;
        const int column = column0_ + my_columns() + 8 * n + lane_of_warp() % 4 * 2 + i % 2;
        if (row >= rows_ || column >= p_.columns) continue;
        const float value = after_ * sum_[n][i] + bias_at(column);
        bad = !store_finished(p_, value, row, column, c_) || bad;
      }
    }
    if (bad && p_.bad != nullptr) *p_.bad = 1;
  }

  const Product& p_;
  HalfRoom& room_;
  const int rows_;
  int row0_, column0_, begin_, end_;
  float* c_;
  float scale_a_, scale_b_, after_;
  float sum_[kWarpTiles][4] = {};
};

}  // namespace tarl::fleet
