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

// Features of up to 32 boards: features[row * stride + place * 16 + map] = relu(bias + sum). `conv`
// are the weights with the biases behind them; all of it is in shared memory.
__device__ inline void conv_of_few(const NetPlan& net, const float* conv, const std::byte* boards,
                                   int row_bytes, int rows, float* features, int stride) {
  // A lane has a board, and a warp goes through the taps that any of its boards needs: boards look
  // alike, places do not.
  const bool mine = lane_id() < rows;
  const std::byte* board = boards + (mine ? lane_id() : 0) * row_bytes;
  for (int place = warp_id(); place < kPositions; place += kWarps) {
    float sum[kMaps];
    const float* bias = conv + net.conv_bias;
#pragma unroll
    for (int m = 0; m < kMaps; ++m) sum[m] = bias[m];
    for (int y = 0; y < 3; ++y) {
      const std::uint32_t bits =
          mine ? window_row(board, net.channels, place / kMapSide + y, place % kMapSide) : 0;
      for (std::uint32_t any = __reduce_or_sync(kFullWarp, bits); any != 0; any &= any - 1) {
        const int k = __ffs(static_cast<int>(any)) - 1;
        const float* weight = conv + (y * 3 * net.channels + k) * kMaps;
        const bool set = (bits >> k & 1U) != 0;
#pragma unroll
        for (int m = 0; m < kMaps; m += 4) {
          const auto four = *reinterpret_cast<const float4*>(weight + m);
          if (!set) continue;
          sum[m] += four.x, sum[m + 1] += four.y, sum[m + 2] += four.z, sum[m + 3] += four.w;
        }
      }
    }
    if (!mine) continue;
    auto* to = reinterpret_cast<float4*>(features + lane_id() * stride + place * kMaps);
#pragma unroll
    for (int m = 0; m < kMaps; m += 4) {
      to[m / 4] = make_float4(fmaxf(sum[m], 0.0F), fmaxf(sum[m + 1], 0.0F), fmaxf(sum[m + 2], 0.0F),
                              fmaxf(sum[m + 3], 0.0F));
    }
  }
}

struct FeatureRoom {
  static constexpr int kRows = 32, kStride = kFeatures + 4;

  alignas(16) float features[kRows][kStride];
  std::uint32_t boards[kRows][kMaxObsBytes / 4 + 1];
};

// Features of any number of boards, for the device's memory.
__device__ inline void conv_forward(const NetPlan& net, const float* conv, FeatureRoom& room,
                                    const std::byte* obs, int row_bytes, int rows,
                                    float* features) {
  const int words = row_bytes / 4;
  for (int first = 0; first < rows; first += FeatureRoom::kRows) {
    const int count = rows - first < FeatureRoom::kRows ? rows - first : FeatureRoom::kRows;
    for (int i = thread_id(); i < count * words; i += kThreads) {
      room.boards[i / words][i % words] =
          reinterpret_cast<const std::uint32_t*>(obs + first * row_bytes)[i];
    }
    __syncthreads();
    conv_of_few(net, conv, reinterpret_cast<const std::byte*>(room.boards), sizeof(room.boards[0]),
                count, room.features[0], FeatureRoom::kStride);
    __syncthreads();
#pragma unroll 4
    for (int i = thread_id(); i < count * kFeatures / 4; i += kThreads) {
      const int row = i / (kFeatures / 4), at = i % (kFeatures / 4) * 4;
      *reinterpret_cast<float4*>(features + (first + row) * kFeatures + at) =
          *reinterpret_cast<const float4*>(room.features[row] + at);
    }
  }
  __syncthreads();
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

// sum += delta at four maps of each place in ascending order. A warp goes through the rows of
// places that any of its lanes needs.
__device__ inline void add_places(const float* delta, std::uint32_t places, float (&sum)[4]) {
#pragma unroll 1
  for (int y = 0; y < 4; ++y, places >>= kMapSide, delta += kMapSide * kMaps) {
    if (__any_sync(kFullWarp, (places & 0xFFU) != 0 ? 1 : 0) == 0) continue;
    float4 from[kMapSide];
#pragma unroll
    for (int x = 0; x < kMapSide; ++x) {
      from[x] = *reinterpret_cast<const float4*>(delta + x * kMaps);
    }
#pragma unroll
    for (int x = 0; x < kMapSide; ++x) {
      if ((places >> x & 1U) == 0) continue;
      sum[0] += from[x].x, sum[1] += from[x].y, sum[2] += from[x].z, sum[3] += from[x].w;
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
  const bool has_tap = tap < 9 * channels;
  const bool warp_has_tap = warp_id() * 32 / (kMaps / 4) < 9 * channels;
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
      if (!warp_has_tap) continue;
      const std::uint32_t* seen = room.seen[row][x][channel];
      const auto shift = static_cast<unsigned>(8 * y);
      const std::uint32_t all = has_tap ? 0xFFFFFFFFU : 0;
      add_places(from + map0, __funnelshift_r(seen[0], seen[1], shift) & all, sum);
      add_places(from + map0 + kFeatures / 2, __funnelshift_r(seen[1], seen[2], shift) & all, sum);
    }
  }
#pragma unroll
  for (int k = 0; k < 4; ++k) {
    if (has_tap) take(net.conv_weight + tap * kMaps + map0 + k, sum[k]);
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
