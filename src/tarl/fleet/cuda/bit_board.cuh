// SPDX-License-Identifier: MIT
#pragma once

#include "tarl/fleet/agent_spec.h"
#include "tarl/fleet/cuda/block.cuh"

// The 3x3 convolution of boards of bits, in f32 and in the CPU's order of additions.
namespace tarl::fleet {

inline constexpr int kBoardSide = 10;
inline constexpr int kMapSide = 8;
inline constexpr int kMaxConv = (9 * 10 + 1) * kMaps;  // weights and biases of ten channels

// The 3 * channels bits of one row of a window, lowest first: (column, channel).
__device__ inline std::uint32_t window_row(const std::byte* obs, int channels, int row,
                                           int column) {
  const int bit = (row * kBoardSide + column) * channels;
  const auto* words = reinterpret_cast<const std::uint32_t*>(obs);
  const std::uint32_t low = words[bit / 32];
  const int last = (bit + 3 * channels - 1) / 32;
  const std::uint32_t high = words[last];
  const std::uint32_t mask = (1U << (3 * channels)) - 1;
  return __funnelshift_r(low, high, static_cast<unsigned>(bit % 32)) & mask;
}

// Features of `rows` boards: features[row * kFeatures + place * 16 + map] = relu(bias + sum).
// `conv` are the weights with the biases behind them, in shared memory.
__device__ inline void conv_forward(const NetPlan& net, const float* conv, const std::byte* obs,
                                    int row_bytes, int rows, float* features) {
  for (int i = thread_id(); i < rows * kPositions; i += kThreads) {
    const int row = i / kPositions, place = i % kPositions;
    float sum[kMaps];
    const float* bias = conv + net.conv_bias;
#pragma unroll
    for (int m = 0; m < kMaps; ++m) sum[m] = bias[m];
    for (int y = 0; y < 3; ++y) {
      std::uint32_t bits =
          window_row(obs + row * row_bytes, net.channels, place / kMapSide + y, place % kMapSide);
      for (; bits != 0; bits &= bits - 1) {
        const int k = y * 3 * net.channels + __ffs(static_cast<int>(bits)) - 1;
        const float* weight = conv + k * kMaps;
#pragma unroll
        for (int m = 0; m < kMaps; ++m) sum[m] += weight[m];
      }
    }
    auto* to = reinterpret_cast<float4*>(features + static_cast<std::int64_t>(i) * kMaps);
#pragma unroll
    for (int m = 0; m < kMaps; m += 4) {
      to[m / 4] = make_float4(fmaxf(sum[m], 0.0F), fmaxf(sum[m + 1], 0.0F), fmaxf(sum[m + 2], 0.0F),
                              fmaxf(sum[m + 3], 0.0F));
    }
  }
}

// Boards whose places are looked at in one go by conv_gradient.
inline constexpr int kMaskRows = 64;

struct ConvRoom {
  std::uint64_t mask[kMaskRows][9 * 10];  // places where a tap sees a channel's bit
  float sum[kFeatures];
};

// Gradients of weights and biases: grads[k * 16 + map] and grads[conv_bias + map], from
// delta[i * kFeatures + place * 16 + map] of board kept[i].
__device__ inline void conv_gradient(const NetPlan& net, ConvRoom& room, const std::byte* obs,
                                     int row_bytes, const std::int32_t* kept, int rows,
                                     const float* delta, float* grads) {
  const int taps = 9 * net.channels;
  constexpr int kOwned = (9 * 10 * kMaps + kThreads - 1) / kThreads;
  float sum[kOwned] = {};
  for (int first = 0; first < rows; first += kMaskRows) {
    const int count = rows - first < kMaskRows ? rows - first : kMaskRows;
    __syncthreads();
    for (int i = thread_id(); i < count * taps; i += kThreads) {
      const int row = i / taps, k = i % taps;
      const int y = k / (3 * net.channels), within = k % (3 * net.channels);
      const std::byte* board = obs + kept[first + row] * row_bytes;
      std::uint64_t mask = 0;
      for (int place = 0; place < kPositions; ++place) {
        const int bit =
            ((place / kMapSide + y) * kBoardSide + place % kMapSide) * net.channels + within;
        const std::uint32_t word = reinterpret_cast<const std::uint32_t*>(board)[bit / 32];
        mask |= static_cast<std::uint64_t>((word >> (bit % 32)) & 1U) << place;
      }
      room.mask[row][k] = mask;
    }
    __syncthreads();
#pragma unroll
    for (int o = 0; o < kOwned; ++o) {
      const int element = thread_id() + o * kThreads;
      if (element >= taps * kMaps) break;
      for (int row = 0; row < count; ++row) {
        const float* from =
            delta + static_cast<std::int64_t>(first + row) * kFeatures + element % kMaps;
        for (std::uint64_t mask = room.mask[row][element / kMaps]; mask != 0; mask &= mask - 1) {
          sum[o] += from[(__ffsll(static_cast<long long>(mask)) - 1) * kMaps];
        }
      }
    }
  }
#pragma unroll
  for (int o = 0; o < kOwned; ++o) {
    const int element = thread_id() + o * kThreads;
    if (element < taps * kMaps) grads[net.conv_weight + element] = sum[o];
  }
  for (int f = thread_id(); f < kFeatures; f += kThreads) {
    float total = 0;
    for (int row = 0; row < rows; ++row) {
      total += delta[static_cast<std::int64_t>(row) * kFeatures + f];
    }
    room.sum[f] = total;
  }
  __syncthreads();
  if (thread_id() < kMaps) {
    float total = 0;
    for (int place = 0; place < kPositions; ++place) {
      total += room.sum[place * kMaps + thread_id()];
    }
    grads[net.conv_bias + thread_id()] = total;
  }
  __syncthreads();
}

}  // namespace tarl::fleet
