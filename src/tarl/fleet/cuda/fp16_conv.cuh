// SPDX-License-Identifier: MIT
#pragma once

#include <cuda_fp16.h>

#include "tarl/fleet/cuda/bit_board.cuh"
#include "tarl/fleet/cuda/ptx.cuh"

// The convolution on tensor cores, straight from bits. A 3x3 window of a board is two words (four
// channels) or three (up to ten); shifted and masked, bit 14 of each half of a word is the fp16 2.0
// or 0, so that a word holds sixteen pairs of inputs. Weights are halved to make up for the 2.0. An
// always-set bit carries the bias.
namespace tarl::fleet {

template <bool kSmall>
struct ConvShape {
  static constexpr int kWords = kSmall ? 2 : 3;
  static constexpr int kSteps = kSmall ? 3 : 6;   // of 16 inputs
  static constexpr int kTiles = kSmall ? 6 : 12;  // of 8 inputs, in the gradient
  static constexpr int kElements = kTiles * 128;  // of the gradient, unused inputs included
};

inline constexpr std::uint32_t kTwos = 0x40004000U;

template <bool kSmall>
using Window = std::uint32_t[ConvShape<kSmall>::kWords];

// Where the three rows of a window begin, the same for every board: worked out once a place.
struct WindowRows {
  std::uint32_t word[3], shift[3], mask;
};

__device__ inline WindowRows window_rows(std::uint32_t channels, std::uint32_t place) {
  WindowRows rows;
  rows.mask = (1U << (3 * channels)) - 1;
#pragma unroll
  for (std::uint32_t y = 0; y < 3; ++y) {
    const std::uint32_t bit = ((place / kMapSide + y) * kBoardSide + place % kMapSide) * channels;
    rows.word[y] = bit / 32;
    rows.shift[y] = bit % 32;
  }
  return rows;
}

// Reads one word more than a row may need: boards are followed by other data.
template <bool kSmall>
__device__ inline void load_window(const std::byte* board, const WindowRows& rows,
                                   Window<kSmall>& w) {
  const auto* words = reinterpret_cast<const std::uint32_t*>(board);
  std::uint32_t row[3];
#pragma unroll
  for (int y = 0; y < 3; ++y) {
    row[y] = __funnelshift_r(words[rows.word[y]], words[rows.word[y] + 1], rows.shift[y]) &
             (kSmall ? 0xFFFU : rows.mask);
  }
  if constexpr (kSmall) {
    w[0] = row[0] | (row[1] << 16);
    w[1] = (row[2] & 0xFFU) | ((row[2] & 0xFF00U) << 8) | (1U << 20);
  } else {
    w[0] = row[0] | (1U << 30);
    w[1] = row[1];
    w[2] = row[2];
  }
}

// The k-th step's pairs for thread t of four, from words that were shifted right by t: inputs
// (t, 16 + t) of the low or high eight, and those four further on.
__device__ inline std::uint32_t first_pair(std::uint32_t word, int step) {
  return (word << (step % 2 == 0 ? 14 : 6)) & kTwos;
}

__device__ inline std::uint32_t second_pair(std::uint32_t word, int step) {
  return (word << (step % 2 == 0 ? 10 : 2)) & kTwos;
}

// Where an element of the gradient (tile, lane, register) belongs in the flat parameters, or -1.
template <bool kSmall>
__device__ inline int conv_place(const NetPlan& net, int element) {
  const int tile = element / 128, lane = element % 128 / 4, reg = element % 4;
  const int map = lane / 4 + 8 * (reg / 2), column = 2 * (lane % 4) + reg % 2;
  const int row_bits = 3 * net.channels;
  int y = -1, bit = 0;
  if constexpr (kSmall) {
    const int at = tile < 4 ? 8 * tile + column : (tile == 4 ? 0 : 16) + column;
    if (tile < 4) {
      y = at / 16;
      bit = at % 16;
      if (bit >= row_bits) return -1;
    } else {
      if (at == 20) return net.conv_bias + map;
      y = 2;
      bit = at < 8 ? at : at - 8;
      if (at >= 16 + row_bits - 8) return -1;
    }
  } else {
    y = tile / 4;
    bit = 8 * (tile % 4) + column;
    if (y == 0 && bit == 30) return net.conv_bias + map;
    if (bit >= row_bits) return -1;
  }
  return net.conv_weight + (y * row_bits + bit) * kMaps + map;
}

// Writes a weight where the products read it: uint4 [step][lane] = (maps < 8, first and second
// pair; maps >= 8, first and second pair).
template <bool kSmall>
__device__ inline void put_conv(__half* to, int element, float value) {
  const int tile = element / 128, lane = element % 128 / 4, reg = element % 4;
  const int map = lane / 4 + 8 * (reg / 2), column = 2 * (lane % 4) + reg % 2;
  int word = 0, bit = 0;
  if (kSmall && tile >= 4) {
    word = 1;
    bit = (tile == 4 ? 0 : 16) + column;
  } else {
    word = tile / 4;
    bit = 8 * (tile % 4) + column;
  }
  const int four = bit % 16 / 4;
  const int step = word * 2 + four / 2, pair = four % 2 + 2 * (map / 8);
  to[((step * 32 + map % 8 * 4 + bit % 4) * 4 + pair) * 2 + bit / 16] =
      __float2half_rn(0.5F * value);
}

template <bool kSmall>
using ConvWeights = uint4[ConvShape<kSmall>::kSteps];

// Windows of one board at the places of a row of places, one after the other, as words that are
// shifted right by t already. Bits that belong to no input are whatever the board has there: their
// weights are zero.
template <bool kSmall>
struct RowOfWindows;

template <>
struct RowOfWindows<true> {
  std::uint32_t low[3], high[3];  // bits 0-31 and 32-39 of three rows

  __device__ void load(const std::byte* board, std::uint32_t /*channels*/, std::uint32_t y) {
    const auto* words = reinterpret_cast<const std::uint32_t*>(board);
#pragma unroll
    for (std::uint32_t i = 0; i < 3; ++i) {
      const std::uint32_t bit = 40 * (y + i);
      const std::uint32_t first = words[bit / 32], second = words[bit / 32 + 1];
      low[i] = __funnelshift_r(first, second, bit % 32);
      high[i] = second >> (bit % 32);
    }
  }

  __device__ void at(int x, int t, Window<true>& w) const {
    const int shift = 4 * x + t;
    const std::uint32_t first = __funnelshift_r(low[0], high[0], shift);
    const std::uint32_t second = __funnelshift_r(low[1], high[1], shift);
    const std::uint32_t third = __funnelshift_r(low[2], high[2], shift);
    w[0] = __byte_perm(first, second, 0x5410);
    w[1] = (__byte_perm(third, 0, 0x4140) & ~(1U << 20)) | (t == 0 ? 1U << 20 : 0U);
  }
};

template <>
struct RowOfWindows<false> {
  const std::byte* board;
  std::uint32_t channels;
  std::uint32_t y;

  __device__ void load(const std::byte* of, std::uint32_t wide, std::uint32_t row) {
    board = of;
    channels = wide;
    y = row;
  }

  __device__ void at(int x, int t, Window<false>& w) const {
    load_window<false>(board, window_rows(channels, y * kMapSide + static_cast<std::uint32_t>(x)),
                       w);
#pragma unroll
    for (std::uint32_t& word : w) word >>= t;
  }
};

// Features of 16 boards at one place as the left operand (16 x 16) of the next product, from the
// windows of boards g and g + 8: rows are the boards, columns the maps.
template <bool kSmall>
__device__ inline void conv_rows(const Window<kSmall>& a, const Window<kSmall>& b,
                                 const ConvWeights<kSmall>& weights, std::uint32_t (&out)[4]) {
  float low[4] = {}, high[4] = {};
#pragma unroll
  for (int k = 0; k < ConvShape<kSmall>::kSteps; ++k) {
    // A row of four channels ends with its twelfth bit.
    const bool twelve = kSmall && k == 1;
    const std::uint32_t a0 = first_pair(a[k / 2], k), a1 = first_pair(b[k / 2], k);
    const std::uint32_t a2 = twelve ? 0 : second_pair(a[k / 2], k);
    const std::uint32_t a3 = twelve ? 0 : second_pair(b[k / 2], k);
    ptx::mma(low, a0, a1, a2, a3, weights[k].x, weights[k].y);
    ptx::mma(high, a0, a1, a2, a3, weights[k].z, weights[k].w);
  }
  out[0] = ptx::pack_relu(low[0], low[1]);
  out[1] = ptx::pack_relu(low[2], low[3]);
  out[2] = ptx::pack_relu(high[0], high[1]);
  out[3] = ptx::pack_relu(high[2], high[3]);
}

// Features of 8 boards at one place, from the windows of boards g, transposed: out[0] are maps g,
// out[1] maps g + 8 of boards 2t and 2t + 1. Of the weights first pairs come first, then the second
// ones.
template <bool kSmall>
__device__ inline void conv_columns(const Window<kSmall>& window, int t,
                                    const ConvWeights<kSmall>& weights, std::uint32_t (&out)[2]) {
  float sum[4] = {};
#pragma unroll
  for (int k = 0; k < ConvShape<kSmall>::kSteps; ++k) {
    const std::uint32_t word = window[k / 2] >> t;
    ptx::mma(sum, weights[k].x, weights[k].y, weights[k].z, weights[k].w, first_pair(word, k),
             second_pair(word, k));
  }
  out[0] = ptx::pack_relu(sum[0], sum[1]);
  out[1] = ptx::pack_relu(sum[2], sum[3]);
}

// The right operand of the conv gradient: inputs of two boards' windows (low and high half), column
// g of every tile of eight.
template <bool kSmall>
__device__ inline void window_columns(const Window<kSmall>& a, const Window<kSmall>& b, int g,
                                      std::uint32_t (&out)[ConvShape<kSmall>::kTiles]) {
#pragma unroll
  for (int i = 0; i < ConvShape<kSmall>::kWords; ++i) {
    const std::uint32_t low = __byte_perm(a[i], b[i], 0x5410) >> g;
    const std::uint32_t high = __byte_perm(a[i], b[i], 0x7632) >> g;
    if (kSmall && i == 1) {
      out[4] = (low << 14) & kTwos;
      out[5] = (high << 14) & kTwos;
    } else {
      out[i * 4] = (low << 14) & kTwos;
      out[i * 4 + 1] = (low << 6) & kTwos;
      out[i * 4 + 2] = (high << 14) & kTwos;
      out[i * 4 + 3] = (high << 6) & kTwos;
    }
  }
}

}  // namespace tarl::fleet
