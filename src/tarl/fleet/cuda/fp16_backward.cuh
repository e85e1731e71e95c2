// SPDX-License-Identifier: MIT
#pragma once

#include "tarl/fleet/cuda/fp16_room.cuh"

// Gradients of the big layer and of the convolution. A warp has four places of the board. Gradients
// of the big layer are never kept: a first pass over its weights measures them and brings those of
// the features, a second one computes them again, moves each weight and writes it back.
namespace tarl::fleet {

// One step of RMSprop on gradients that were scaled by 1 / unscale to suit fp16.
struct Fp16Step {
  float unscale;  // with clipping already multiplied in
  float alpha, one_minus_alpha, rate, eps;
};

template <bool kSmall>
struct Fp16Backward {
  using Shape = ConvShape<kSmall>;

  PackedView packed;
  std::uint32_t channels;
  int stride;            // of boards
  std::uint32_t phases;  // of the warp's slots, a bit each

  __device__ static Fp16Room<kSmall>& room() { return fp16_memory<kSmall>().room; }

  __device__ const std::byte* kept_board(int i) const { return room().kept_boards + i * stride; }

  // One lane: a block's fp16s and, where they are to be moved, the rest.
  template <bool kMove>
  __device__ void ask(int block, int slot) const {
    const std::uint32_t barrier = ptx::shared_address(&room().slot[warp_id()][slot]);
    const std::uint32_t to =
        ptx::shared_address(room().main) + warp_id() * kWarpRing + slot * kSlotBytes;
    ptx::barrier_expect(barrier, kMove ? kSlotBytes : kHighBytes);
    ptx::bulk_load(to, packed.high + block * (kHighBytes / 16), kHighBytes, barrier);
    if constexpr (kMove) {
      ptx::bulk_load(to + kHighBytes, packed.rest + static_cast<std::int64_t>(block) * kRestBytes,
                     kRestBytes, barrier);
    }
  }

  // Two neighbouring weights: f32 = bits of the fp16 + the low bits, moved and split again.
  __device__ static void move_pair(const Fp16Step& step, std::uint32_t& high, std::uint32_t& low,
                                   float& va, float& vb, float da, float db) {
    const float2 h = __half22float2(reinterpret_cast<const __half2&>(high));
    const auto low_a = static_cast<std::int32_t>(static_cast<std::int16_t>(low & 0xFFFFU));
    const std::int32_t low_b = static_cast<std::int32_t>(low) >> 16;
    float a = __uint_as_float(__float_as_uint(h.x) + static_cast<std::uint32_t>(low_a));
    float b = __uint_as_float(__float_as_uint(h.y) + static_cast<std::uint32_t>(low_b));
    const float ga = da * step.unscale, gb = db * step.unscale;
    va = fmaf(step.alpha, va, step.one_minus_alpha * (ga * ga));
    vb = fmaf(step.alpha, vb, step.one_minus_alpha * (gb * gb));
    const float ra = ptx::approximate_reciprocal(ptx::approximate_sqrt(va) + step.eps);
    const float rb = ptx::approximate_reciprocal(ptx::approximate_sqrt(vb) + step.eps);
    a = fmaf(-step.rate, ga * ra, a);
    b = fmaf(-step.rate, gb * rb, b);
    high = ptx::pack(a, b);
    const float2 rounded = __half22float2(reinterpret_cast<const __half2&>(high));
    low = ptx::pack_clamped(
        static_cast<std::int32_t>(__float_as_uint(a) - __float_as_uint(rounded.x)),
        static_cast<std::int32_t>(__float_as_uint(b) - __float_as_uint(rounded.y)));
  }

  // Moves a block whose fp16s are in `high`; dw0 are maps below 8, dw1 the others.
  __device__ void move_block(const Fp16Step& step, int block, const unsigned char* from, uint4 high,
                             const float (&dw0)[4], const float (&dw1)[4]) const {
    const int lane = lane_id();
    uint4 low = reinterpret_cast<const uint4*>(from + kHighBytes)[lane];
    float4 v0 = reinterpret_cast<const float4*>(from + 2 * kHighBytes)[lane];
    float4 v1 = reinterpret_cast<const float4*>(from + 2 * kHighBytes + 512)[lane];
    move_pair(step, high.x, low.x, v0.x, v0.y, dw0[0], dw0[1]);
    move_pair(step, high.z, low.z, v0.z, v0.w, dw0[2], dw0[3]);
    move_pair(step, high.y, low.y, v1.x, v1.y, dw1[0], dw1[1]);
    move_pair(step, high.w, low.w, v1.z, v1.w, dw1[2], dw1[3]);
    std::byte* rest = packed.rest + static_cast<std::int64_t>(block) * kRestBytes;
    reinterpret_cast<uint4*>(rest)[lane] = low;
    reinterpret_cast<float4*>(rest + kHighBytes)[lane] = v0;
    reinterpret_cast<float4*>(rest + kHighBytes + 512)[lane] = v1;
    auto* to = reinterpret_cast<std::uint32_t*>(packed.high + block * (kHighBytes / 16));
    to[lane] = high.x;
    to[32 + lane] = high.y;
    to[64 + lane] = high.z;
    to[96 + lane] = high.w;
  }

  // The block: visits every block of weights of the warp's places. `place(window)` is called before
  // the eight blocks of a place and `after(i)` behind them; `block(number, group, arrive)` for
  // each, where arrive() waits for the block's bytes and tells where they are.
  template <bool kMove, class Place, class Block, class After>
  __device__ __forceinline__ void visit(Place place, Block block, After after) {
    constexpr int kBlocks = kWarpPlaces * kUnitGroups;
    const int first_block = warp_id() * kBlocks;
    ptx::fence_bulk();
    __syncthreads();
    if (lane_id() == 0) {
      for (int slot = 0; slot < kSlots; ++slot) ask<kMove>(first_block + slot, slot);
    }
    __syncwarp();
    int slot = 0, asked = kSlots;
#pragma unroll 1
    for (int i = 0; i < kWarpPlaces; ++i) {
      place(window_rows(channels, static_cast<std::uint32_t>(warp_id() * kWarpPlaces + i)));
#pragma unroll 1
      for (int j = 0; j < kUnitGroups; ++j) {
        block(first_block + i * kUnitGroups + j, j, [&] {
          ptx::barrier_wait(ptx::shared_address(&room().slot[warp_id()][slot]),
                            (phases >> slot) & 1);
          phases ^= 1U << slot;
          return room().main + warp_id() * kWarpRing + slot * kSlotBytes;
        });
        // A slot is filled again only after what was read from it has been used: a read that is
        // still queued would see the next block.
        __syncwarp();
        if (lane_id() == 0 && asked < kBlocks) ask<kMove>(first_block + asked, slot);
        ++asked;
        slot = slot == kSlots - 1 ? 0 : slot + 1;
      }
      after(i);
    }
  }

  // Features of the kept rows at a place, as the right operand of weight gradients.
  using KeptFeatures = std::uint32_t[kKept / 8][2];

  __device__ void load_features(const WindowRows& window, KeptFeatures& x) const {
    const int lane = lane_id();
    ConvWeights<kSmall> weights;
#pragma unroll
    for (int k = 0; k < Shape::kSteps; ++k) weights[k] = room().conv[k][lane];
#pragma unroll
    for (int b = 0; b < kKept / 8; ++b) {
      conv_columns<kSmall>(kept_board(8 * b + lane / 4), window, lane % 4, weights, x[b]);
    }
  }

  // Where this lane's row of the kept rows' gradients begins, for matrix loads.
  __device__ std::uint32_t delta_address() const {
    const int lane = lane_id();
    return ptx::shared_address(room().delta) +
           static_cast<std::uint32_t>(
               ((8 * (lane / 16) + lane % 8) * kHiddenStride + 8 * (lane / 8 % 2)) * 2);
  }

  static constexpr std::uint32_t kHalfRows = 16 * kHiddenStride * 2;

  // Weight gradients of 16 units: maps below 8 and the others.
  __device__ static void weight_gradient(std::uint32_t delta, const KeptFeatures& x,
                                         float (&dw0)[4], float (&dw1)[4]) {
    std::uint32_t rows[4];
    ptx::load_matrices_transposed(rows, delta);
    ptx::mma(dw0, rows[0], rows[1], rows[2], rows[3], x[0][0], x[1][0]);
    ptx::mma(dw1, rows[0], rows[1], rows[2], rows[3], x[0][1], x[1][1]);
    ptx::load_matrices_transposed(rows, delta + kHalfRows);
    ptx::mma(dw0, rows[0], rows[1], rows[2], rows[3], x[2][0], x[3][0]);
    ptx::mma(dw1, rows[0], rows[1], rows[2], rows[3], x[2][1], x[3][1]);
  }

  // The block: gradients of the features into the stash; returns this thread's share of the squared
  // norm of the big layer's gradient.
  __device__ __forceinline__ float measure() {
    const int lane = lane_id();
    const std::uint32_t delta = delta_address();
    float square = 0;
    KeptFeatures x;
    float dx[kKept / 8][4];
    visit<false>(
        [&](const WindowRows& window) {
          load_features(window, x);
#pragma unroll
          for (auto& tile : dx) tile[0] = tile[1] = tile[2] = tile[3] = 0.0F;
        },
        [&](int, int j, auto arrive) {
          float dw0[4] = {}, dw1[4] = {};
          weight_gradient(delta + j * 32, x, dw0, dw1);
          std::uint32_t rows0[4], rows1[4];
          ptx::load_matrices(rows0, delta + j * 32);
          ptx::load_matrices(rows1, delta + kHalfRows + j * 32);
          const auto* words = reinterpret_cast<const std::uint32_t*>(arrive());
          const std::uint32_t w0 = ptx::transposed(words[lane]);
          const std::uint32_t w1 = ptx::transposed(words[32 + lane]);
          const std::uint32_t w2 = ptx::transposed(words[64 + lane]);
          const std::uint32_t w3 = ptx::transposed(words[96 + lane]);
          ptx::mma(dx[0], w0, w1, w2, w3, rows0[0], rows0[1]);
          ptx::mma(dx[1], w0, w1, w2, w3, rows0[2], rows0[3]);
          ptx::mma(dx[2], w0, w1, w2, w3, rows1[0], rows1[1]);
          ptx::mma(dx[3], w0, w1, w2, w3, rows1[2], rows1[3]);
#pragma unroll
          for (int k = 0; k < 4; ++k) {
            square = fmaf(dw0[k], dw0[k], fmaf(dw1[k], dw1[k], square));
          }
        },
        [&](int i) { stash_gradient(i, x, dx); });
    return square;
  }

  // The block: moves the big layer.
  __device__ __forceinline__ void move(const Fp16Step& step) {
    const int lane = lane_id();
    const std::uint32_t delta = delta_address();
    KeptFeatures x;
    visit<true>([&](const WindowRows& window) { load_features(window, x); },
                [&](int block, int j, auto arrive) {
                  float dw0[4] = {}, dw1[4] = {};
                  weight_gradient(delta + j * 32, x, dw0, dw1);
                  const unsigned char* from = arrive();
                  const auto* words = reinterpret_cast<const std::uint32_t*>(from);
                  const uint4 high =
                      make_uint4(words[lane], words[32 + lane], words[64 + lane], words[96 + lane]);
                  move_block(step, block, from, high, dw0, dw1);
                },
                [](int) {});
  }

  // Gradients of a place's features, zero where the ReLU was, as the left operand of conv products.
  __device__ void stash_gradient(int i, const std::uint32_t (&x)[4][2],
                                 const float (&dx)[4][4]) const {
    uint4* to = room().stash(warp_id()) + i * 64 + lane_id();
    std::uint32_t masked[4][2];
#pragma unroll
    for (int b = 0; b < 4; ++b) {
#pragma unroll
      for (int c = 0; c < 2; ++c) {
        masked[b][c] = ptx::pack((x[b][c] & 0xFFFFU) != 0 ? dx[b][2 * c] : 0.0F,
                                 (x[b][c] >> 16) != 0 ? dx[b][2 * c + 1] : 0.0F);
      }
    }
    to[0] = make_uint4(masked[0][0], masked[0][1], masked[1][0], masked[1][1]);
    to[32] = make_uint4(masked[2][0], masked[2][1], masked[3][0], masked[3][1]);
  }

  // The block: sums of the conv gradient of each warp's places, into the warp's ring.
  __device__ __forceinline__ void sum_conv() const {
    const int lane = lane_id(), g = lane / 4, t = lane % 4;
    float sum[Shape::kTiles][4];
#pragma unroll
    for (int k = 0; k < Shape::kTiles; ++k) sum[k][0] = sum[k][1] = sum[k][2] = sum[k][3] = 0.0F;
#pragma unroll 1
    for (int i = 0; i < kWarpPlaces; ++i) {
      const int place = warp_id() * kWarpPlaces + i;
      const WindowRows window = window_rows(channels, static_cast<std::uint32_t>(place));
#pragma unroll 1
      for (int half = 0; half < 2; ++half) {
        const uint4 dx = room().stash(warp_id())[i * 64 + half * 32 + lane];
        std::uint32_t low[Shape::kTiles], high[Shape::kTiles];
        const int row = 16 * half + 2 * t;
        window_columns<kSmall>(kept_board(row), kept_board(row + 1), window, g, low);
        window_columns<kSmall>(kept_board(row + 8), kept_board(row + 9), window, g, high);
#pragma unroll
        for (int k = 0; k < Shape::kTiles; ++k) {
          ptx::mma(sum[k], dx.x, dx.y, dx.z, dx.w, low[k], high[k]);
        }
      }
    }
    auto* to = reinterpret_cast<float4*>(room().main + warp_id() * kWarpRing) + lane;
    __syncwarp();
#pragma unroll
    for (int k = 0; k < Shape::kTiles; ++k) {
      to[k * 32] = make_float4(sum[k][0], sum[k][1], sum[k][2], sum[k][3]);
    }
    __syncthreads();
  }

  // An element of the conv gradient, after sum_conv().
  __device__ float conv_gradient(int element) const {
    float sum = 0;
#pragma unroll
    for (int w = 0; w < kWarps; ++w) {
      sum += reinterpret_cast<const float*>(room().main + w * kWarpRing)[element];
    }
    return 0.5F * sum;  // inputs are 2.0
  }
};

}  // namespace tarl::fleet
