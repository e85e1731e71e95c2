// SPDX-License-Identifier: MIT
#pragma once

#include "tarl/fleet/cuda/block.cuh"
#include "tarl/fleet/minatar_dqn/agent_spec.h"

// The 3x3 convolution of bit boards, in f32 and in the CPU's order of additions.
namespace tarl::fleet {

inline constexpr int kBoardSide = 10;
inline constexpr int kMapSide = 8;
inline constexpr int kMaxChannels = 10;
inline constexpr int kMaxConv = (9 * kMaxChannels + 1) * kMaps;  // weights and biases

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

// One warp: features of many boards at one position, features[row * stride + map] = relu(bias +
// sum). `conv` holds the weights, then the biases. All arguments are in shared memory. Each lane
// has kEach boards, and the warp visits every tap that any lane needs: boards are similar to each
// other, positions are not.
template <int kEach>
__device__ inline void conv_at(const NetPlan& net, const float* conv, const std::byte* boards,
                               int row_bytes, int rows, int place, float* features, int stride) {
  float sum[kEach][kMaps];
  const float* bias = conv + net.conv_bias;
#pragma unroll
  for (int m = 0; m < kMaps; ++m) {
#pragma unroll
    for (int e = 0; e < kEach; ++e) sum[e][m] = bias[m];
  }
#pragma unroll 1
  for (int y = 0; y < 3; ++y) {
    std::uint32_t bits[kEach], any = 0;
#pragma unroll
    for (int e = 0; e < kEach; ++e) {
      const int row = lane_id() + 32 * e;
      bits[e] = row >= rows ? 0
                            : window_row(boards + row * row_bytes, net.channels,
                                         place / kMapSide + y, place % kMapSide);
      any |= bits[e];
    }
    any = __reduce_or_sync(kFullWarp, any);
#pragma unroll 1
    for (; any != 0; any &= any - 1) {
      const int k = __ffs(static_cast<int>(any)) - 1;
      const float* weight = conv + (y * 3 * net.channels + k) * kMaps;
#pragma unroll
      for (int m = 0; m < kMaps; m += 4) {
        const auto four = *reinterpret_cast<const float4*>(weight + m);
#pragma unroll
        for (int e = 0; e < kEach; ++e) {
          if ((bits[e] >> k & 1U) == 0) continue;
          sum[e][m] += four.x, sum[e][m + 1] += four.y;
          sum[e][m + 2] += four.z, sum[e][m + 3] += four.w;
        }
      }
    }
  }
#pragma unroll
  for (int e = 0; e < kEach; ++e) {
    const int row = lane_id() + 32 * e;
    if (row >= rows) break;
    auto* to = reinterpret_cast<float4*>(features + row * stride);
#pragma unroll
    for (int m = 0; m < kMaps; m += 4) {
      to[m / 4] = make_float4(fmaxf(sum[e][m], 0.0F), fmaxf(sum[e][m + 1], 0.0F),
                              fmaxf(sum[e][m + 2], 0.0F), fmaxf(sum[e][m + 3], 0.0F));
    }
  }
}

// A batch of boards at as many positions as there are warps.
struct FeatureShared {
  static constexpr int kRows = 128, kLine = kWarps * kMaps;

  // Rows are padded against bank conflicts between lanes.
  alignas(16) float features[kRows][kLine + 4];
  std::uint32_t boards[kRows][kMaxObsBytes / 4 + 1];
};

// Features of any number of boards, into global memory: features[row * kFeatures + position * 16 +
// map].
__device__ inline void conv_forward(const NetPlan& net, const float* conv, FeatureShared& smem,
                                    const std::byte* obs, int row_bytes, int rows,
                                    float* features) {
  const int words = row_bytes / 4;
  const auto* boards = reinterpret_cast<const std::byte*>(smem.boards);
  constexpr int kApart = sizeof(smem.boards[0]), kLine = FeatureShared::kLine;
  constexpr int kStride = sizeof(smem.features[0]) / sizeof(float);
  for (int first = 0; first < rows; first += FeatureShared::kRows) {
    const int count = rows - first < FeatureShared::kRows ? rows - first : FeatureShared::kRows;
    for (int i = thread_id(); i < count * words; i += kThreads) {
      smem.boards[i / words][i % words] =
          reinterpret_cast<const std::uint32_t*>(obs + first * row_bytes)[i];
    }
    __syncthreads();
    for (int begin = 0; begin < kPositions; begin += kWarps) {
      const int place = begin + warp_id();
      float* to = smem.features[0] + warp_id() * kMaps;
      if (count <= 32) {
        conv_at<1>(net, conv, boards, kApart, count, place, to, kStride);
      } else if (count <= 64) {
        conv_at<2>(net, conv, boards, kApart, count, place, to, kStride);
      } else {
        conv_at<4>(net, conv, boards, kApart, count, place, to, kStride);
      }
      __syncthreads();
#pragma unroll 4
      for (int i = thread_id(); i < count * kLine / 4; i += kThreads) {
        const int row = i / (kLine / 4), at = i % (kLine / 4) * 4;
        *reinterpret_cast<float4*>(features + (first + row) * kFeatures + begin * kMaps + at) =
            *reinterpret_cast<const float4*>(smem.features[row] + at);
      }
      __syncthreads();
    }
  }
}

// The working set of one iteration of conv_gradient.
struct ConvShared {
  static constexpr int kRows = 32;

  alignas(16) float delta[kRows][kFeatures];
  // Per channel and tap column: the positions whose top-row tap sees a set bit, one byte for each
  // row of positions, followed by the two bytes that the lower rows' taps need at their ends.
  std::uint32_t seen[kRows][3][kMaxChannels][3];
  float sum[kFeatures];
};

// Which of 4 x 8 positions, from row y and column x on, hold a set bit of the channel.
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

// For the taps of one window row: sum[x] += delta of two maps at each position that tap x sees, in
// ascending order. The warp visits each row of positions that any of its lanes needs.
__device__ inline void add_places(const float* delta, const std::uint32_t (&seen)[3],
                                  float2 (&sum)[3]) {
#pragma unroll 1
  for (int y = 0; y < 4; ++y) {
    std::uint32_t places[3];
#pragma unroll
    for (int x = 0; x < 3; ++x) places[x] = seen[x] >> (8 * y) & 0xFFU;
    if (__any_sync(kFullWarp, (places[0] | places[1] | places[2]) != 0 ? 1 : 0) == 0) continue;
    float2 from[kMapSide];
#pragma unroll
    for (int i = 0; i < kMapSide; ++i) {
      from[i] = *reinterpret_cast<const float2*>(delta + (y * kMapSide + i) * kMaps);
    }
#pragma unroll
    for (int i = 0; i < kMapSide; ++i) {
#pragma unroll
      for (int x = 0; x < 3; ++x) {
        if ((places[x] >> i & 1U) != 0) sum[x].x += from[i].x, sum[x].y += from[i].y;
      }
    }
  }
}

// Gradients of weights and biases from delta[i * kFeatures + position * 16 + map] of board kept[i].
// Calls take(index of the parameter, gradient).
template <class Take>
__device__ void conv_gradient(const NetPlan& net, ConvShared& smem, const std::byte* obs,
                              int row_bytes, const std::int32_t* kept, int rows, const float* delta,
                              Take take) {
  // Each thread handles two maps of one channel's taps in one window row.
  constexpr int kPairs = kMaps / 2;
  const int channels = net.channels, taps = thread_id() / kPairs;
  const int map0 = thread_id() % kPairs * 2;
  const bool mine = taps < 3 * channels;
  const bool warp_has_some = warp_id() * 32 / kPairs < 3 * channels;
  const int top = taps / channels, channel = taps % channels;
  static_assert(3 * kMaxChannels * kPairs <= kThreads);
  float2 sum[3] = {};
  float total[kFeatures / kThreads] = {};
  for (int first = 0; first < rows; first += ConvShared::kRows) {
    const int count = rows - first < ConvShared::kRows ? rows - first : ConvShared::kRows;
    __syncthreads();
    for (int i = thread_id(); i < count * kFeatures / 4; i += kThreads) {
      ptx::copy_sixteen<0>(ptx::shared_address(smem.delta[0] + 4 * i),
                           delta + first * kFeatures + 4 * i);
    }
    for (int i = thread_id(); i < count * 9 * channels; i += kThreads) {
      const int row = i / (9 * channels), word = i / (3 * channels) % 3;
      const int x = i / channels % 3, c = i % channels;
      smem.seen[row][x][c][word] =
          places_seen(obs + kept[first + row] * row_bytes, channels, 4 * word, x, c);
    }
    ptx::wait_for_copies();
    __syncthreads();
    for (int row = 0; row < count; ++row) {
      const float* from = smem.delta[row];
#pragma unroll
      for (int k = 0; k < kFeatures / kThreads; ++k) total[k] += from[thread_id() + k * kThreads];
      if (!warp_has_some) continue;
      std::uint32_t upper[3], lower[3];
#pragma unroll
      for (int x = 0; x < 3; ++x) {
        const std::uint32_t* seen = smem.seen[row][x][channel];
        upper[x] = mine ? __funnelshift_r(seen[0], seen[1], 8U * top) : 0;
        lower[x] = mine ? __funnelshift_r(seen[1], seen[2], 8U * top) : 0;
      }
      add_places(from + map0, upper, sum);
      add_places(from + map0 + kFeatures / 2, lower, sum);
    }
  }
#pragma unroll
  for (int x = 0; x < 3; ++x) {
    const int tap = (3 * top + x) * channels + channel;
    if (mine) take(net.conv_weight + tap * kMaps + map0, sum[x].x);
    if (mine) take(net.conv_weight + tap * kMaps + map0 + 1, sum[x].y);
  }
#pragma unroll
  for (int k = 0; k < kFeatures / kThreads; ++k) smem.sum[thread_id() + k * kThreads] = total[k];
  __syncthreads();
  if (thread_id() < kMaps) {
    float all = 0;
#pragma unroll 8
    for (int place = 0; place < kPositions; ++place) all += smem.sum[place * kMaps + thread_id()];
    take(net.conv_bias + thread_id(), all);
  }
  __syncthreads();
}

}  // namespace tarl::fleet
