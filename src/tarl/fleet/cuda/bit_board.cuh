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
// `conv` are the weights with the biases behind them; they and the boards are in shared memory.
__device__ inline void conv_forward(const NetPlan& net, const float* conv, const std::byte* obs,
                                    int row_bytes, int rows, float* features) {
  // A warp has half a board and goes through the taps that any of its places needs.
  constexpr int kHalf = kPositions / 2;
  for (int half = warp_id(); half < 2 * rows; half += kWarps) {
    const int place = half % 2 * kHalf + lane_id();
    const std::byte* board = obs + half / 2 * row_bytes;
    float sum[kMaps];
    const float* bias = conv + net.conv_bias;
#pragma unroll
    for (int m = 0; m < kMaps; ++m) sum[m] = bias[m];
    for (int y = 0; y < 3; ++y) {
      const std::uint32_t bits =
          window_row(board, net.channels, place / kMapSide + y, place % kMapSide);
      for (std::uint32_t any = __reduce_or_sync(kFullWarp, bits); any != 0; any &= any - 1) {
        const int k = __ffs(static_cast<int>(any)) - 1;
        const float* weight = conv + (y * 3 * net.channels + k) * kMaps;
        if ((bits >> k & 1U) == 0) continue;
#pragma unroll
        for (int m = 0; m < kMaps; m += 4) {
          const auto four = *reinterpret_cast<const float4*>(weight + m);
          sum[m] += four.x, sum[m + 1] += four.y, sum[m + 2] += four.z, sum[m + 3] += four.w;
        }
      }
    }
    auto* to = reinterpret_cast<float4*>(features + (half / 2 * kPositions + place) * kMaps);
#pragma unroll
    for (int m = 0; m < kMaps; m += 4) {
      to[m / 4] = make_float4(fmaxf(sum[m], 0.0F), fmaxf(sum[m + 1], 0.0F), fmaxf(sum[m + 2], 0.0F),
                              fmaxf(sum[m + 3], 0.0F));
    }
  }
}

// What conv_gradient looks at in one go.
struct ConvRoom {
  static constexpr int kRows = 32;

  alignas(16) float delta[kRows][kFeatures];
  // Of a channel, places where a tap of the window's top row sees a bit, a byte for each row of
  // places, and the two bytes that taps of the rows below see at their ends.
  std::uint32_t seen[kRows][3][10][3];
  float sum[kFeatures];
};

// Of four rows of a board from y on, eight neighbouring places each from column x on.
__device__ inline std::uint32_t places_seen(const std::byte* board, int channels, int y, int x,
                                            int channel) {
  std::uint32_t seen = 0;
#pragma unroll
  for (int i = 0; i < 4 * kMapSide; ++i) {
    if (y + i / kMapSide >= kBoardSide) break;
    const int bit = ((y + i / kMapSide) * kBoardSide + x + i % kMapSide) * channels + channel;
    const std::uint32_t word = reinterpret_cast<const std::uint32_t*>(board)[bit / 32];
    seen |= (word >> (bit % 32) & 1U) << i;
  }
  return seen;
}

// sum += delta at four maps of each place in ascending order.
__device__ inline void add_places(const float* delta, std::uint32_t places, float (&sum)[4]) {
  constexpr int kAtOnce = 4;
  while (places != 0) {
    float4 from[kAtOnce];
    bool there[kAtOnce];
#pragma unroll
    for (int k = 0; k < kAtOnce; ++k) {
      there[k] = places != 0;
      const int place = there[k] ? __ffs(static_cast<int>(places)) - 1 : 0;
      from[k] = *reinterpret_cast<const float4*>(delta + place * kMaps);
      places &= places - 1;
    }
#pragma unroll
    for (int k = 0; k < kAtOnce; ++k) {
      if (!there[k]) break;
      sum[0] += from[k].x;
      sum[1] += from[k].y;
      sum[2] += from[k].z;
      sum[3] += from[k].w;
    }
  }
}

// Gradients of weights and biases, from delta[i * kFeatures + place * 16 + map] of board kept[i]:
// calls take(place of the parameter, gradient).
template <class Take>
__device__ void conv_gradient(const NetPlan& net, ConvRoom& room, const std::byte* obs,
                              int row_bytes, const std::int32_t* kept, int rows, const float* delta,
                              Take take) {
  const int channels = net.channels, tap = thread_id() / (kMaps / 4);
  const int map0 = thread_id() % (kMaps / 4) * 4;
  const int y = tap / (3 * channels), x = tap / channels % 3, channel = tap % channels;
  static_assert(9 * 10 * kMaps / 4 <= kThreads);
  float sum[4] = {}, total[kFeatures / kThreads] = {};
  for (int first = 0; first < rows; first += ConvRoom::kRows) {
    const int count = rows - first < ConvRoom::kRows ? rows - first : ConvRoom::kRows;
    __syncthreads();
    for (int i = thread_id(); i < count * kFeatures / 4; i += kThreads) {
      ptx::copy_sixteen<0>(ptx::shared_address(room.delta[0] + 4 * i),
                           delta + first * kFeatures + 4 * i);
    }
    for (int i = thread_id(); i < count * 9 * channels; i += kThreads) {
      const int row = i / (9 * channels), word = i / (3 * channels) % 3;
      const int at = i / channels % 3, c = i % channels;
      room.seen[row][at][c][word] =
          places_seen(obs + kept[first + row] * row_bytes, channels, 4 * word, at, c);
    }
    ptx::wait_for_copies();
    __syncthreads();
    for (int row = 0; row < count; ++row) {
      const float* from = room.delta[row];
#pragma unroll
      for (int k = 0; k < kFeatures / kThreads; ++k) total[k] += from[thread_id() + k * kThreads];
      if (tap >= 9 * channels) continue;
      const std::uint32_t* seen = room.seen[row][x][channel];
      const auto shift = static_cast<unsigned>(8 * y);
      add_places(from + map0, __funnelshift_r(seen[0], seen[1], shift), sum);
      add_places(from + map0 + kFeatures / 2, __funnelshift_r(seen[1], seen[2], shift), sum);
    }
  }
#pragma unroll
  for (int k = 0; k < 4; ++k) {
    if (tap < 9 * channels) take(net.conv_weight + tap * kMaps + map0 + k, sum[k]);
  }
#pragma unroll
  for (int k = 0; k < kFeatures / kThreads; ++k) room.sum[thread_id() + k * kThreads] = total[k];
  __syncthreads();
  if (thread_id() < kMaps) {
    float all = 0;
#pragma unroll 8
    for (int place = 0; place < kPositions; ++place) all += room.sum[place * kMaps + thread_id()];
    take(net.conv_bias + thread_id(), all);
  }
  __syncthreads();
}

}  // namespace tarl::fleet
