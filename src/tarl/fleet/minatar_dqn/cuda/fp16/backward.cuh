// SPDX-License-Identifier: MIT
#pragma once

#include "tarl/fleet/minatar_dqn/cuda/fp16/shared.cuh"

// Gradients of the big layer and of the convolution. Gradients of the big layer are never stored:
// one pass over its weights computes them, updates each weight in place, and accumulates the
// convolution's gradient and the norm. In the rare case that the norm calls for clipping, a second
// pass corrects the weights and moments.
namespace tarl::fleet {

// One RMSprop step on gradients that were scaled into the range of fp16. The inverse scale is
// folded into `fresh`, the weight of the squared gradient, and into the rate.
struct Fp16Step {
  float alpha, fresh, rate, eps;

  __device__ static Fp16Step of(const OptimizerPlan& plan, float unscale) {
    return {plan.alpha, plan.one_minus_alpha * unscale * unscale, plan.rate * unscale, plan.eps};
  }
};

template <bool kSmall, int kKept>
struct Fp16Backward {
  using Shape = ConvShape<kSmall>;
  using Smem = Fp16Shared<kSmall, kKept>;

  PackedView packed;
  ChunkRange chunks;
  std::uint32_t channels;
  int stride;  // bytes between boards

  __device__ static Smem& smem() { return fp16_memory<kSmall, kKept>().smem; }

  __device__ static Fp16Backward of_agent() {
    const Shared& s = fp16_memory<kSmall, kKept>().shared;
    return {PackedView::of(s.view), ChunkRange::of(s.spec),
            kSmall ? 4U : static_cast<std::uint32_t>(s.spec.net.channels), board_stride(s.spec)};
  }

  // The block updates the big layer by the unclipped gradient and leaves sums of the conv gradient
  // in smem().conv_sums(). The first warps call `beside` first and get fewer tiles in return; all
  // threads call `last` when done. Returns this thread's share of the squared norm of the scaled
  // gradient.
  template <class DoBeside, class Last>
  __device__ __forceinline__ float move(float unscale, DoBeside beside, Last last) const {
    const int warp = warp_id(), lane = lane_id();
    const TileRange mine = range(warp);
    const std::byte* rest = rest_of(mine.first) + lane * 16;
#pragma unroll
    for (int i = 0; i < kSlots; ++i, rest += kRestBytes) {
      const int tile = mine.first + i;
      if (tile < mine.end) ask_tile<0>(ring(warp, lane) + i * kSlotBytes, rest, tile, lane);
      ptx::commit_copies();
    }
    if (warp < kBesideWarps) beside(static_cast<Beside>(warp));
    ConvSums sum;
#pragma unroll
    for (auto& four : sum) four[0] = four[1] = four[2] = four[3] = 0.0F;
    const Fp16Step step = Fp16Step::of(fp16_memory<kSmall, kKept>().shared.spec.optimizer, unscale);
    const float square = move_tiles(step, mine, sum);
    // All tiles of the warp's ring are consumed, so the sums may overwrite it.
    auto* to = reinterpret_cast<float4*>(smem().conv_sums(warp)) + lane;
#pragma unroll
    for (int k = 0; k < Shape::kTiles; ++k) {
      to[k * 32] = make_float4(sum[k][0], sum[k][1], sum[k][2], sum[k][3]);
    }
    last();
    __syncthreads();
    return square;
  }

  // An element of the conv gradient. Requires move() to be complete.
  __device__ static float conv_gradient(int element) {
    float sum = 0;
#pragma unroll
    for (int w = 0; w < kWarps; ++w) sum += smem().conv_sums(w)[element];
    return 0.5F * sum;  // inputs are represented as 2.0
  }

  // The block, after move() and before the convolution is updated: corrects the result to that of a
  // gradient multiplied by `clip`, to within a rounding of each weight and moment.
  static __device__ __noinline__ void clip(float unscale, float clip) {
    const Fp16Backward pass = Fp16Backward::of_agent();
    const Fp16Step step = Fp16Step::of(fp16_memory<kSmall, kKept>().shared.spec.optimizer, unscale);
    const int lane = lane_id();
    const TileRange mine = pass.range(warp_id());
#pragma unroll 1
    for (int tile = mine.first; tile < mine.end; ++tile) {
      KeptWindows windows;
      pass.load_windows(tile / kUnitGroups, lane, windows);
      KeptFeatures x;
      compute_features(windows, lane, x);
      float dw0[4] = {}, dw1[4] = {};
      weight_gradient(delta_matrix(lane / 16, tile % kUnitGroups * 2 + lane / 8 % 2, lane), x, dw0,
                      dw1);
      std::uint32_t* words = pass.high_of(tile) + lane;
      std::uint32_t high[4];
      load_high(words, high);
      std::byte* rest = pass.rest_of(tile) + lane * 16;
      change_tile(rest, rest, words, high, dw0, dw1, [&](float& w, float& v, float d) {
        const float full = d * approximate_step(step, v);
        v = fmaf(-(1.0F - clip * clip) * step.fresh * d, d, v);
        w = fmaf(step.rate, full - clip * d * approximate_step(step, v), w);
      });
    }
  }

 private:
  static constexpr int kEights = kKept / 8;  // kept rows in groups of eight
  static constexpr int kSlots = Smem::kSlots;

  using ConvSums = float[Shape::kTiles][4];

  // Windows of the kept rows at one position: lane i holds those of rows i, 32 + i, ...
  using KeptWindows = Window<kSmall>[kKept / 32];

  // Features of the kept rows at one position: maps g and g + 8 of boards 8 b + 2t and 8 b + 2t +
  // 1.
  using KeptFeatures = std::uint32_t[kEights][2];
  using FeatureGradients = float[kEights][4];

  // The tiles of one warp.
  struct TileRange {
    int first, end;
  };

  // An equal share per warp, less the tiles it gives up for its task in `beside`.
  __device__ TileRange range(int warp) const {
    const int tiles = chunks.count * kChunkPlaces * kUnitGroups, each = tiles / kWarps;
    constexpr int kLess[kBesideWarps] = {11, 9, 9, 3};  // together two tiles per warp
    int before = 0, mine = 0, all = 0;                  // tiles given up
#pragma unroll
    for (int i = 0; i < kBesideWarps; ++i) {
      const int less = each < kLess[i] ? each : kLess[i];
      before += i < warp ? less : 0;
      mine += i == warp ? less : 0;
      all += less;
    }
    const int share = (tiles + all + kWarps - 1) / kWarps;
    const int start = chunks.first * kChunkPlaces * kUnitGroups;
    const auto at = [&](int tile) { return start + (tile < tiles ? tile : tiles); };
    return {at(warp * share - before), at((warp + 1) * share - before - mine)};
  }

  // One warp updates its tiles; the first kSlots are already being loaded. The pointers to what is
  // written are incremented: recomputing them per tile would cost as much as the arithmetic.
  __device__ __forceinline__ float move_tiles(const Fp16Step& step, const TileRange& mine,
                                              ConvSums& sum) const {
    const int lane = lane_id();
    const std::uint32_t delta = delta_matrix(lane / 16, lane / 8 % 2, lane);
    const int slots = ring(warp_id(), lane);
    int slot = slots;
    std::byte* rest = rest_of(mine.first) + lane * 16;
    float square = 0;
    int tile = mine.first;
#pragma unroll 1
    while (tile < mine.end) {
      const int place = tile / kUnitGroups;
      int group = tile % kUnitGroups;
      const int left = mine.end - place * kUnitGroups;
      const int groups = left < kUnitGroups ? left : kUnitGroups;
      std::uint32_t* words = high_of(tile) + lane;
      KeptWindows windows;
      load_windows(place, lane, windows);
      KeptFeatures x;
      compute_features(windows, lane, x);
      FeatureGradients dx;
#pragma unroll
      for (auto& four : dx) four[0] = four[1] = four[2] = four[3] = 0.0F;
#pragma unroll 1
      for (; group < groups; ++group, ++tile) {
        float dw0[4] = {}, dw1[4] = {};
        weight_gradient(delta + group * 2 * kDeltaMatrix, x, dw0, dw1);
#pragma unroll
        for (int i = 0; i < 4; ++i) square = fmaf(dw0[i], dw0[i], fmaf(dw1[i], dw1[i], square));
        ptx::wait_for_copies_but<kSlots - 1>();
        __syncwarp();
        std::uint32_t high[4], across[4];
        const std::uint32_t matrices = ptx::shared_address(smem().main + slot + kRestBytes);
        ptx::load_matrices(high, matrices);
        ptx::load_matrices_transposed(across, matrices);
        feature_gradients(delta + group * 2 * kDeltaMatrix, across, dx);
        change_tile(smem().main + slot, rest, words, high, dw0, dw1,
                    [&](float& w, float& v, float d) {
                      v = fmaf(step.fresh * d, d, step.alpha * v);
                      w = fmaf(-step.rate, d * approximate_step(step, v), w);
                    });
        // All reads of a slot must be complete before it is refilled: a read still in the queue
        // would see the next tile.
        __syncwarp();
        if (tile + kSlots < mine.end) ask_tile<kSlots>(slot, rest, tile + kSlots, lane);
        ptx::commit_copies();
        words += kTileWeights / 2;
        rest += kRestBytes;
        slot = slot == slots + (kSlots - 1) * kSlotBytes ? slots : slot + kSlotBytes;
      }
      add_conv_gradient(windows, x, dx, lane, sum);
    }
    return square;
  }

  // The address of this lane's row of a matrix of gradients of H, for ldmatrix.
  __device__ static std::uint32_t delta_matrix(int boards, int units, int lane) {
    return ptx::shared_address(smem().delta) +
           static_cast<std::uint32_t>(boards * kDeltaRow + units * kDeltaMatrix + lane % 8 * 16);
  }

  // A tile's fp16 values.
  __device__ std::uint32_t* high_of(int tile) const {
    return ptx::global(reinterpret_cast<std::uint32_t*>(packed.high)) + tile * (kTileWeights / 2);
  }

  // A tile's low bits and moments.
  __device__ std::byte* rest_of(int tile) const {
    return packed.rest + static_cast<std::int64_t>(tile) * kRestBytes;
  }

  // This lane's offset into its warp's ring.
  __device__ static int ring(int warp, int lane) {
    return warp * Smem::kWarpRing + lane * 16;
  }

  // Starts loading a tile, 16 bytes per lane and array: low bits and moments, kAhead tiles after
  // `rest`, and the fp16 values.
  template <int kAhead>
  __device__ void ask_tile(int slot, const std::byte* rest, int tile, int lane) const {
    const auto* high = reinterpret_cast<const std::byte*>(high_of(tile));
    const std::uint32_t to = ptx::shared_address(smem().main) + static_cast<std::uint32_t>(slot);
    ptx::copy_three_once<kHighBytes, kAhead * kRestBytes>(to, rest);
    ptx::copy_sixteen<kRestBytes>(to, high + lane * 16);
  }

  // This lane's words of a tile's four matrices.
  __device__ static void load_high(const std::uint32_t* words, std::uint32_t (&high)[4]) {
#pragma unroll
    for (int part = 0; part < 4; ++part) high[part] = words[part * (kMatrix / 2)];
  }

  __device__ void load_windows(int place, int lane, KeptWindows& windows) const {
    const WindowRows rows = window_rows(channels, static_cast<std::uint32_t>(place));
#pragma unroll
    for (int k = 0; k < kKept / 32; ++k) {
      load_window<kSmall>(smem().kept_boards + (32 * k + lane) * stride, rows, 0, windows[k]);
    }
  }

  // The window held by another lane.
  __device__ static void window_of(const Window<kSmall>& mine, int lane, Window<kSmall>& other) {
#pragma unroll
    for (int i = 0; i < Shape::kWords; ++i) other[i] = __shfl_sync(kFullWarp, mine[i], lane);
  }

  __device__ static void compute_features(const KeptWindows& windows, int lane, KeptFeatures& x) {
    ConvWeights<kSmall> weights;
#pragma unroll
    for (int k = 0; k < Shape::kSteps; ++k) weights[k] = smem().conv_columns()[k * 32 + lane];
#pragma unroll
    for (int b = 0; b < kEights; ++b) {
      Window<kSmall> window;
      window_of(windows[b / 4], b % 4 * 8 + lane / 4, window);
      conv_columns<kSmall>(window, lane % 4, weights, x[b]);
    }
  }

  // Adds the contribution of 16 units to the feature gradients of one position (maps x boards).
  // `delta` is this lane's address of the units' gradients, `w` holds their weights.
  __device__ static void feature_gradients(std::uint32_t delta, const std::uint32_t (&w)[4],
                                           FeatureGradients& dx) {
#pragma unroll
    for (int b = 0; b < kEights; b += 2) {
      std::uint32_t rows[4];
      ptx::load_matrices(rows, delta + b * kDeltaRow);
      ptx::mma(dx[b], w[0], w[1], w[2], w[3], rows[0], rows[1]);
      ptx::mma(dx[b + 1], w[0], w[1], w[2], w[3], rows[2], rows[3]);
    }
  }

  // Gradients of map g (or g + 8) for two boards, masked by the ReLU and clamped to finite values.
  __device__ static std::uint32_t through_relu(const float (&dx)[4], const std::uint32_t (&x)[2],
                                               int more) {
    return ptx::pack_finite(dx[2 * more], dx[2 * more + 1]) & ptx::where_not_zero(x[more]);
  }

  // Adds one position's contribution to the conv gradient.
  __device__ static void add_conv_gradient(const KeptWindows& windows, const KeptFeatures& x,
                                           const FeatureGradients& dx, int lane, ConvSums& sum) {
    const int g = lane / 4, t = lane % 4;
#pragma unroll
    for (int b = 0; b < kEights; b += 2) {
      std::uint32_t columns[2][Shape::kTiles];
#pragma unroll
      for (int half = 0; half < 2; ++half) {
        const int row = (b + half) % 4 * 8 + 2 * t;
        Window<kSmall> even, odd;
        window_of(windows[b / 4], row, even);
        window_of(windows[b / 4], row + 1, odd);
        window_columns<kSmall>(even, odd, g, columns[half]);
      }
      const std::uint32_t d0 = through_relu(dx[b], x[b], 0), d1 = through_relu(dx[b], x[b], 1);
      const std::uint32_t d2 = through_relu(dx[b + 1], x[b + 1], 0);
      const std::uint32_t d3 = through_relu(dx[b + 1], x[b + 1], 1);
#pragma unroll
      for (int k = 0; k < Shape::kTiles; ++k) {
        ptx::mma(sum[k], d0, d1, d2, d3, columns[0][k], columns[1][k]);
      }
    }
  }

  // Weight gradients of 16 units, for maps below 8 and for the others. `delta` is this lane's
  // address of the units' gradients.
  __device__ static void weight_gradient(std::uint32_t delta, const KeptFeatures& x,
                                         float (&dw0)[4], float (&dw1)[4]) {
#pragma unroll
    for (int half = 0; half < kKept / 16; ++half) {
      std::uint32_t rows[4];
      ptx::load_matrices_transposed(rows, delta + half * 2 * kDeltaRow);
      ptx::mma(dw0, rows[0], rows[1], rows[2], rows[3], x[2 * half][0], x[2 * half + 1][0]);
      ptx::mma(dw1, rows[0], rows[1], rows[2], rows[3], x[2 * half][1], x[2 * half + 1][1]);
    }
  }

  // The factor of the gradient in the weight update, without the rate, given the second moment v.
  __device__ static float approximate_step(const Fp16Step& step, float v) {
    return ptx::approximate_reciprocal(ptx::approximate_sqrt(v) + step.eps);
  }

  // Two neighbouring weights: restores f32 from the fp16 bits plus the low bits, changes the values
  // and splits them again.
  template <class Change>
  __device__ static void change_pair(std::uint32_t& high, std::uint32_t& low, float& va, float& vb,
                                     float da, float db, Change change) {
    const float2 h = __half22float2(reinterpret_cast<const __half2&>(high));
    const auto low_a = static_cast<std::int32_t>(static_cast<std::int16_t>(low & 0xFFFFU));
    const std::int32_t low_b = static_cast<std::int32_t>(low) >> 16;
    float a = __uint_as_float(__float_as_uint(h.x) + static_cast<std::uint32_t>(low_a));
    float b = __uint_as_float(__float_as_uint(h.y) + static_cast<std::uint32_t>(low_b));
    change(a, va, da);
    change(b, vb, db);
    high = ptx::pack(a, b);
    const float2 rounded = __half22float2(reinterpret_cast<const __half2&>(high));
    low = ptx::pack_clamped(
        static_cast<std::int32_t>(__float_as_uint(a) - __float_as_uint(rounded.x)),
        static_cast<std::int32_t>(__float_as_uint(b) - __float_as_uint(rounded.y)));
  }

  // Changes this lane's weights of a tile. Low bits and moments are read from `from` and written to
  // `rest`; dw0 holds the gradients of maps below 8, dw1 those of the others.
  template <class From, class Change>
  __device__ static void change_tile(const From* from, std::byte* rest, std::uint32_t* words,
                                     std::uint32_t (&high)[4], const float (&dw0)[4],
                                     const float (&dw1)[4], Change change) {
    uint4 low = *reinterpret_cast<const uint4*>(from);
    float4 v0 = *reinterpret_cast<const float4*>(from + kHighBytes);
    float4 v1 = *reinterpret_cast<const float4*>(from + 2 * kHighBytes);
    change_pair(high[0], low.x, v0.x, v0.y, dw0[0], dw0[1], change);
    change_pair(high[2], low.z, v0.z, v0.w, dw0[2], dw0[3], change);
    change_pair(high[1], low.y, v1.x, v1.y, dw1[0], dw1[1], change);
    change_pair(high[3], low.w, v1.z, v1.w, dw1[2], dw1[3], change);
    ptx::store_sixteen_once<0>(rest, low);
    ptx::store_sixteen_once<kHighBytes>(rest, v0);
    ptx::store_sixteen_once<2 * kHighBytes>(rest, v1);
#pragma unroll
    for (int part = 0; part < 4; ++part) words[part * (kMatrix / 2)] = high[part];
  }
};

}  // namespace tarl::fleet
