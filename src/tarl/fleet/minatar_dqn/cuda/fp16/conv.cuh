// SPDX-License-Identifier: MIT
#pragma once

#include <cuda_fp16.h>

#include "tarl/fleet/cuda/ptx.cuh"
#include "tarl/fleet/minatar_dqn/cuda/bit_board.cuh"
#include "tarl/fleet/minatar_dqn/fp16_layout.h"

// The convolution on tensor cores, directly from bits. A 3x3 window of a board fits in two words
// (four channels) or three (up to ten). After a shift and a mask, bit 14 of each half-word is the
// fp16 value 2.0 or 0, so a word yields sixteen pairs of inputs. The weights are halved to
// compensate for the 2.0. A bit that is always set multiplies the bias.
//
// With four channels, one step of 16 inputs is a column of the window: three rows, and a fourth for
// the bias. Neighbouring windows share columns and therefore operands.
namespace tarl::fleet {

template <bool kSmall>
struct ConvShape {
  static constexpr int kWords = kSmall ? 2 : 3;
  static constexpr int kSteps = kSmall ? 3 : 6;   // each of 16 inputs
  static constexpr int kTiles = kSmall ? 6 : 12;  // each of 8 inputs, in the gradient
  static constexpr int kElements = kTiles * 128;  // of the gradient, including unused inputs
};

inline constexpr std::uint32_t kTwos = 0x40004000U;
inline constexpr int kBiasBit = 12;  // after the last row of a window with four channels

template <bool kSmall>
using Window = std::uint32_t[ConvShape<kSmall>::kWords];

// Where the three rows of a window begin. Independent of the board, so computed once per position.
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

// May read one word past a row, which is safe because other data follows the boards. The words are
// shifted right by t.
template <bool kSmall>
__device__ inline void load_window(const std::byte* board, const WindowRows& rows, int t,
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
    w[1] = row[2] | (1U << kBiasBit) | (1U << 16);  // the bias for gradients, and for features
  } else {
    w[0] = row[0] | (1U << 30);
    w[1] = row[1];
    w[2] = row[2];
  }
#pragma unroll
  for (std::uint32_t& word : w) word >>= t;
}

// The pairs of step k for thread t of four, from words already shifted right by t. With four
// channels: rows 0 and 1 of column k, then row 2 and the bias. With more: inputs (t, 16 + t) of the
// lower or upper eight, then those four further on.
template <bool kSmall>
__device__ inline std::uint32_t first_pair(const Window<kSmall>& window, int step) {
  if constexpr (kSmall) return (window[0] << (14 - 4 * step)) & kTwos;
  return (window[step / 2] << (step % 2 == 0 ? 14 : 6)) & kTwos;
}

template <bool kSmall>
__device__ inline std::uint32_t second_pair(const Window<kSmall>& window, int step) {
  if constexpr (kSmall) return (window[1] << (14 - 4 * step)) & kTwos;
  return (window[step / 2] << (step % 2 == 0 ? 10 : 2)) & kTwos;
}

// What an element of the gradient (tile, lane, register) refers to: a map and a bit of a window
// row.
template <bool kSmall>
struct ConvElement {
  int map, row, bit;

  __device__ explicit ConvElement(int element) {
    constexpr int kRowTiles = ConvShape<kSmall>::kTiles / 3;
    const int tile = element / 128, lane = element % 128 / 4, reg = element % 4;
    map = lane / 4 + 8 * (reg / 2);
    row = tile / kRowTiles;
    bit = 8 * (tile % kRowTiles) + 2 * (lane % 4) + reg % 2;
  }

  // Its index in the flat parameter array, or -1 for padding.
  __device__ int place(const NetPlan& net) const {
    const int row_bits = 3 * net.channels;
    const bool bias = kSmall ? row == 2 && bit == kBiasBit : row == 0 && bit == 30;
    if (bias) return net.conv_bias + map;
    return bit < row_bits ? net.conv_weight + (row * row_bits + bit) * kMaps + map : -1;
  }
};

// Weights in operand order: [step][lane] = (maps < 8: first and second pair; maps >= 8: first and
// second pair).
template <bool kSmall>
using ConvTable = uint4[ConvShape<kSmall>::kSteps][32];

template <bool kSmall>
__device__ inline void put_conv(ConvTable<kSmall>& to, int element, float value) {
  const ConvElement<kSmall> at(element);
  int step = 0, second = 0, high = 0;
  if constexpr (kSmall) {
    // Elements past a row's bits: the bias, and zeros in the positions next to it.
    const bool behind = at.bit >= kBiasBit;
    step = behind ? (at.row + 1) % 3 : at.bit / 4;
    second = behind || at.row == 2 ? 1 : 0;
    high = behind || at.row == 1 ? 1 : 0;
  } else {
    const int four = at.bit % 16 / 4;
    step = at.row * 2 + four / 2;
    second = four % 2;
    high = at.bit / 16;
  }
  const int lane = at.map % 8 * 4 + at.bit % 4, pair = second + 2 * (at.map / 8);
  reinterpret_cast<__half*>(&to[step][lane])[pair * 2 + high] = __float2half_rn(0.5F * value);
}

template <bool kSmall>
using ConvWeights = uint4[ConvShape<kSmall>::kSteps];

// Packs features as the left operand (16 x 16) of the next product.
__device__ inline void pack_features(const float (&sum)[2][4], std::uint32_t (&out)[4]) {
  out[0] = ptx::pack_relu(sum[0][0], sum[0][1]);
  out[1] = ptx::pack_relu(sum[0][2], sum[0][3]);
  out[2] = ptx::pack_relu(sum[1][0], sum[1][1]);
  out[3] = ptx::pack_relu(sum[1][2], sum[1][3]);
}

// Feature sums of 16 boards at one position: rows are boards, columns are maps (below 8, then the
// others). a and b are the windows of boards g and g + 8, already shifted right by t. `conv` has a
// stride of 32 per step.
template <bool kSmall>
__device__ inline void conv_rows(const Window<kSmall>& a, const Window<kSmall>& b,
                                 const uint4* conv, float (&sum)[2][4]) {
#pragma unroll
  for (int k = 0; k < ConvShape<kSmall>::kSteps; ++k) {
    const uint4 w = conv[k * 32];
    const std::uint32_t a0 = first_pair<kSmall>(a, k), a1 = first_pair<kSmall>(b, k);
    const std::uint32_t a2 = second_pair<kSmall>(a, k), a3 = second_pair<kSmall>(b, k);
    ptx::mma(sum[0], a0, a1, a2, a3, w.x, w.y);
    ptx::mma(sum[1], a0, a1, a2, a3, w.z, w.w);
  }
}

// The same for two positions: [position][maps below 8, the others].
using FeatureSums = float[2][2][4];

// Computes the features of the positions of one chunk.
template <bool kSmall>
struct ChunkFeatures;

template <>
struct ChunkFeatures<true> {
  // For both boards, starting at the chunk's first column: rows 0 and 1 of four columns; row 2 and
  // the bias of the same columns; all rows of two more columns.
  std::uint32_t first[2], second[2], beyond[2];

  __device__ void load(const std::byte* board0, const std::byte* board8, std::uint32_t /*channels*/,
                       std::uint32_t chunk, int t) {
#pragma unroll
    for (int b = 0; b < 2; ++b) {
      const auto* words = reinterpret_cast<const std::uint32_t*>(b == 0 ? board0 : board8);
      std::uint32_t row[3];
#pragma unroll
      for (std::uint32_t y = 0; y < 3; ++y) {
        const std::uint32_t bit = 40 * (chunk / 2 + y) + 16 * (chunk % 2);  // a multiple of four
        row[y] = __funnelshift_r(words[bit / 32], words[bit / 32 + 1], bit % 32 + t);
      }
      first[b] = __byte_perm(row[0], row[1], 0x5410);
      second[b] = __byte_perm(row[2], 0x1111, 0x5410);
      beyond[b] = __byte_perm(__byte_perm(row[0], row[2], 0x0062), row[1], 0x0610);
    }
  }

  // Positions i and i + 1: products of two neighbouring columns with the same weights.
  __device__ void add_up(int i, int /*t*/, const uint4* conv, FeatureSums& sum) const {
    std::uint32_t left[4], right[4];
    read_column(i, left);
#pragma unroll
    for (int k = 0; k < 3; ++k) {
      const uint4 w = conv[k * 32];
      read_column(i + k + 1, right);
      ptx::mma(sum[0][0], left[0], left[1], left[2], left[3], w.x, w.y);
      ptx::mma(sum[0][1], left[0], left[1], left[2], left[3], w.z, w.w);
      ptx::mma(sum[1][0], right[0], right[1], right[2], right[3], w.x, w.y);
      ptx::mma(sum[1][1], right[0], right[1], right[2], right[3], w.z, w.w);
#pragma unroll
      for (int j = 0; j < 4; ++j) left[j] = right[j];
    }
  }

 private:
  // Bits next to row 2 have no effect where the bias weight is zero.
  __device__ void read_column(int c, std::uint32_t (&column)[4]) const {
#pragma unroll
    for (int b = 0; b < 2; ++b) {
      const int shift = 14 - 4 * (c % 4);
      column[b] = ((c < 4 ? first : beyond)[b] << shift) & kTwos;
      column[2 + b] = (c < 4 ? second[b] << shift : beyond[b] << (shift - 8)) & kTwos;
    }
  }
};

template <>
struct ChunkFeatures<false> {
  const std::byte *board0, *board8;
  std::uint32_t channels, place;

  __device__ void load(const std::byte* of0, const std::byte* of8, std::uint32_t wide,
                       std::uint32_t chunk, int /*t*/) {
    board0 = of0;
    board8 = of8;
    channels = wide;
    place = chunk * kChunkPlaces;
  }

  __device__ void add_up(int i, int t, const uint4* conv, FeatureSums& sum) const {
#pragma unroll
    for (int more = 0; more < 2; ++more) {
      const WindowRows rows = window_rows(channels, place + static_cast<std::uint32_t>(i + more));
      Window<false> a, b;
      load_window<false>(board0, rows, t, a);
      load_window<false>(board8, rows, t, b);
      conv_rows<false>(a, b, conv, sum[more]);
    }
  }
};

// Features of 8 boards at one position from the windows of boards g, transposed: out[0] holds map g
// and out[1] map g + 8, of boards 2t and 2t + 1. The weights hold first pairs, then second pairs.
template <bool kSmall>
__device__ inline void conv_columns(const Window<kSmall>& window, int t,
                                    const ConvWeights<kSmall>& weights, std::uint32_t (&out)[2]) {
  Window<kSmall> shifted;
#pragma unroll
  for (int i = 0; i < ConvShape<kSmall>::kWords; ++i) shifted[i] = window[i] >> t;
  float sum[4] = {};
#pragma unroll
  for (int k = 0; k < ConvShape<kSmall>::kSteps; ++k) {
    ptx::mma(sum, weights[k].x, weights[k].y, weights[k].z, weights[k].w,
             first_pair<kSmall>(shifted, k), second_pair<kSmall>(shifted, k));
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
    out[i * 4] = (low << 14) & kTwos;
    out[i * 4 + 1] = (low << 6) & kTwos;
    if (kSmall && i == 1) continue;  // each half holds one row; the last row has no partner
    const std::uint32_t high = __byte_perm(a[i], b[i], 0x7632) >> g;
    out[i * 4 + 2] = (high << 14) & kTwos;
    out[i * 4 + 3] = (high << 6) & kTwos;
  }
}

}  // namespace tarl::fleet
