// SPDX-License-Identifier: MIT
#pragma once

#include "tarl/fleet/cuda/fp16_room.cuh"

// Gradients of the big layer and of the convolution. Those of the big layer are never kept: a first
// pass over its fp16s brings those of the convolution, whose norm clipping needs, and the norm of
// the big layer's; a second one computes them, moves each weight and writes it back.
namespace tarl::fleet {

// One step of RMSprop on gradients that were scaled to suit fp16: clipping and scaling them back
// are multiplied into `fresh`, the weight of their squares, and the rate.
struct Fp16Step {
  float alpha, fresh, rate, eps;
};

template <bool kSmall, int kKept>
struct Fp16Backward {
  using Shape = ConvShape<kSmall>;

  PackedView packed;
  ChunkRange chunks;
  std::uint32_t channels;
  int stride;  // of boards

  __device__ static Fp16Room<kSmall, kKept>& room() { return fp16_memory<kSmall, kKept>().room; }

  // The block, once gradients of H are in place: products of the kept rows' with each other, those
  // beside the diagonal twice.
  __device__ void multiply_deltas() const {
    const int lane = lane_id();
#pragma unroll
    for (int first = 0; first < kEights * kEights / 2; first += kWarps) {
      const int tile = first + warp_id(), row = tile / kEights * 2, column = tile % kEights;
      if (column < row || row >= kEights) continue;
      float sum[4] = {};
#pragma unroll
      for (int k = 0; k < kUnitGroups; ++k) {
        std::uint32_t a[4], b[4];
        ptx::load_matrices(a, delta_matrix(row + lane / 8 % 2, 2 * k + lane / 16, lane));
        ptx::load_matrices(b, delta_matrix(column, 2 * k + lane / 8 % 2, lane));
        ptx::mma(sum, a[0], a[1], a[2], a[3], b[0], b[1]);
      }
      const float twice = column / 2 != row / 2 ? 2.0F : 1.0F;
      room().delta_gram[gram_tile(row, column)][lane] =
          make_float4(twice * sum[0], twice * sum[1], twice * sum[2], twice * sum[3]);
    }
    __syncthreads();
  }

  // The block: sums of the conv gradient of every warp into room().conv_sums(); returns this
  // thread's share of the squared norm of the big layer's gradient.
  __device__ __forceinline__ float measure() const {
    const int warp = warp_id(), group = warp / 4, lane = lane_id(), g = lane / 4, t = lane % 4;
    const bool asks = thread_id() % 128 == 0;
    // The warpgroup's chunks are every fourth one.
    const int count = (chunks.count - group + kGroups - 1) / kGroups;
    const auto chunk_at = [&](int i) { return chunks.first + group + i * kGroups; };
    float square = 0;
    float sum[Shape::kTiles][4];
#pragma unroll
    for (auto& tile : sum) tile[0] = tile[1] = tile[2] = tile[3] = 0.0F;
    std::uint32_t phases = room().chunk_phases[warp];
    ptx::fence_bulk();
    __syncthreads();
    if (asks) {
      for (int i = 0; i < kGroupSlots && i < count; ++i) {
        ask_chunk(chunk_at(i), group * kGroupSlots + i);
      }
    }
    __syncwarp();
#pragma unroll 1
    for (int i = 0; i < count; ++i) {
      const int which = i % kGroupSlots, slot = group * kGroupSlots + which;
      const int place = chunk_at(i) * kChunkPlaces + warp % 4;
      const WindowRows window = window_rows(channels, static_cast<std::uint32_t>(place));
      const std::uint32_t phase = (phases >> which) & 1;
      KeptFeatures x;
#pragma unroll
      for (int first = 0; first < kEights; first += kEightsAtOnce) {
        FeatureGradients dx;
#pragma unroll
        for (auto& tile : dx) tile[0] = tile[1] = tile[2] = tile[3] = 0.0F;
        if (first == 0) {
          ptx::barrier_wait(ptx::shared_address(&room().group_full[slot]), phase);
        }
        feature_gradients(ptx::shared_address(room().chunk(slot)), first, dx);
        if (first == 0) {
          load_features(window, lane, x);
          square += weight_gradient_square(x, lane);
        }
        ptx::wgmma_wait(dx);
        if (first + kEightsAtOnce == kEights) {
          __syncwarp();
          if (lane == 0) ptx::barrier_arrive(ptx::shared_address(&room().group_empty[slot]));
          if (asks && i + kGroupSlots < count) {
            ptx::barrier_wait(ptx::shared_address(&room().group_empty[slot]), phase);
            ask_chunk(chunk_at(i + kGroupSlots), slot);
          }
          __syncwarp();
          phases ^= 1U << which;
        }
#pragma unroll
        for (int b = 0; b < kEightsAtOnce; b += 2) {
          const int row = 8 * (first + b) + 2 * t;
          const auto &x0 = x[first + b], &x1 = x[first + b + 1];
          std::uint32_t low[Shape::kTiles], high[Shape::kTiles];
          window_columns<kSmall>(kept_board(row), kept_board(row + 1), window, g, low);
          window_columns<kSmall>(kept_board(row + 8), kept_board(row + 9), window, g, high);
          const std::uint32_t d0 = through_relu(dx[b], x0, 0), d1 = through_relu(dx[b], x0, 1);
          const std::uint32_t d2 = through_relu(dx[b + 1], x1, 0);
          const std::uint32_t d3 = through_relu(dx[b + 1], x1, 1);
#pragma unroll
          for (int k = 0; k < Shape::kTiles; ++k) {
            ptx::mma(sum[k], d0, d1, d2, d3, low[k], high[k]);
          }
        }
      }
    }
    if (lane == 0) room().chunk_phases[warp] = phases;
    __syncthreads();
    auto* to = reinterpret_cast<float4*>(room().conv_sums(warp)) + lane;
#pragma unroll
    for (int k = 0; k < Shape::kTiles; ++k) {
      to[k * 32] = make_float4(sum[k][0], sum[k][1], sum[k][2], sum[k][3]);
    }
    __syncthreads();
    return square;
  }

  // An element of the conv gradient, after measure().
  __device__ float conv_gradient(int element) const {
    float sum = 0;
#pragma unroll
    for (int w = 0; w < kWarps; ++w) sum += room().conv_sums(w)[element];
    return 0.5F * sum;  // inputs are 2.0
  }

  // The block moves the big layer. Warp 0 calls `beside` first and has the less to move for it.
  template <class Beside>
  __device__ void move(const Fp16Step& step, Beside beside) const {
    const int warp = warp_id();
    const int blocks = chunks.count * kChunkPlaces * kUnitGroups;
    const int few = blocks / kWarps > kBesideBlocks ? blocks / kWarps - kBesideBlocks : 0;
    const int many = (blocks - few + kWarps - 2) / (kWarps - 1);
    const int base = chunks.first * kChunkPlaces * kUnitGroups;
    const int first = base + (warp == 0 ? 0 : few + (warp - 1) * many);
    const int end = base + (few + warp * many < blocks ? few + warp * many : blocks);
    ptx::fence_bulk();
    __syncthreads();
    if (lane_id() == 0) {
      const std::uint32_t turn = room().slot_turns[warp];
      for (int i = 0; i < kSlots && first + i < end; ++i) {
        ask_block(rest_of(first + i), turn + static_cast<std::uint32_t>(i));
      }
    }
    __syncwarp();
    if (warp == 0) beside();
    move_blocks(step, first, end);
  }

 private:
  static constexpr int kGroupWords = kUnitsRow;  // two rows of units, as words of two fp16s
  static constexpr int kBesideBlocks = 24;       // what the others move meanwhile

  // Kept rows in groups of eight. Gradients of features are worked out for four of them at once:
  // more would not leave registers for the sums.
  static constexpr int kEights = kKept / 8, kEightsAtOnce = 4;

  // Features of the kept rows at a place: maps g and g + 8 of boards 8 b + 2t and 8 b + 2t + 1.
  using KeptFeatures = std::uint32_t[kEights][2];
  using FeatureGradients = float[kEightsAtOnce][4];

  // One warp moves blocks, the first kSlots of which were asked for. Addresses are carried along:
  // worked out anew for every block they cost as much as the arithmetic.
  __device__ __forceinline__ void move_blocks(const Fp16Step& step, int first, int end) const {
    const int lane = lane_id(), warp = warp_id();
    const std::uint32_t delta = delta_matrix(lane / 16, lane / 8 % 2, lane);
    const unsigned char* ring = room().main + warp * kWarpRing + lane * 16;
    std::byte* rest = rest_of(first) + lane * 16;
    std::uint32_t turn = room().slot_turns[warp];
    int block = first;
    while (block < end) {
      const int place = block / kUnitGroups;
      int group = block % kUnitGroups;
      const int groups =
          end - place * kUnitGroups < kUnitGroups ? end - place * kUnitGroups : kUnitGroups;
      std::uint32_t* words =
          reinterpret_cast<std::uint32_t*>(packed.high) + high_begin(block) / 2 + lane;
      std::uint32_t high[4], next_high[4];
      load_high(words, next_high);
      KeptFeatures x;
      load_features(window_rows(channels, static_cast<std::uint32_t>(place)), lane, x);
#pragma unroll 1
      for (; group < groups; ++group, ++block, ++turn) {
#pragma unroll
        for (int part = 0; part < 4; ++part) high[part] = next_high[part];
        if (group + 1 < groups) load_high(words + kGroupWords, next_high);
        float dw0[4] = {}, dw1[4] = {};
        weight_gradient(delta + group * 2 * kDeltaMatrix, x, dw0, dw1);
        const std::uint32_t slot = turn % kSlots;
        ptx::barrier_wait(ptx::shared_address(&room().slot[warp][slot]), turn / kSlots % 2);
        move_block(step, ring + slot * kRestBytes, rest, words, high, dw0, dw1);
        words += kGroupWords;
        rest += kRestBytes;
        // A slot is filled again only after what was read from it has been used: a read that is
        // still queued would see the next block.
        __syncwarp();
        if (lane == 0 && block + kSlots < end) ask_block(rest + (kSlots - 1) * kRestBytes, turn);
      }
    }
    if (lane == 0) room().slot_turns[warp] = turn;
    __syncwarp();
  }

  __device__ const std::byte* kept_board(int i) const {
    return room().kept_boards + i * stride;
  }

  // A lane's row of a matrix of gradients of H, for matrix loads.
  __device__ static std::uint32_t delta_matrix(int boards, int units, int lane) {
    return ptx::shared_address(room().delta) +
           static_cast<std::uint32_t>(boards * kDeltaRow + units * kDeltaMatrix + lane % 8 * 16);
  }

  // Of rows and columns in groups of eight.
  __device__ static constexpr int gram_tile(int row, int column) {
    return row / 2 * (kEights - row / 2 + 1) + column - row;
  }

  // One thread: four places' fp16s.
  __device__ void ask_chunk(int chunk, int slot) const {
    const std::uint32_t barrier = ptx::shared_address(&room().group_full[slot]);
    ptx::barrier_expect(barrier, kChunkBytes);
    ptx::bulk_load(ptx::shared_address(room().chunk(slot)),
                   packed.high + chunk * (kChunkBytes / 16), kChunkBytes, barrier);
  }

  // A block's low bits and moments.
  __device__ std::byte* rest_of(int block) const {
    return packed.rest + static_cast<std::int64_t>(block) * kRestBytes;
  }

  // One lane asks for them.
  __device__ static void ask_block(const std::byte* rest, std::uint32_t turn) {
    const auto warp = static_cast<std::uint32_t>(warp_id());
    const std::uint32_t slot = turn % kSlots;
    const std::uint32_t barrier = ptx::shared_address(&room().slot[warp][slot]);
    ptx::barrier_expect(barrier, kRestBytes);
    ptx::bulk_load(ptx::shared_address(room().main) + warp * kWarpRing + slot * kRestBytes, rest,
                   kRestBytes, barrier);
  }

  // This lane's words of a block's four matrices.
  __device__ static void load_high(const std::uint32_t* words, std::uint32_t (&high)[4]) {
#pragma unroll
    for (int part = 0; part < 4; ++part) high[part] = words[high_part(part) / 2];
  }

  __device__ void load_features(const WindowRows& window, int lane, KeptFeatures& x) const {
    ConvWeights<kSmall> weights;
#pragma unroll
    for (int k = 0; k < Shape::kSteps; ++k) weights[k] = room().conv[k][lane];
#pragma unroll
    for (int b = 0; b < kEights; ++b) {
      conv_columns<kSmall>(kept_board(8 * b + lane / 4), window, lane % 4, weights, x[b]);
    }
  }

  // Starts the products of a chunk of weights with the gradients of H of some kept rows: gradients
  // of the features of four places (a warp each), maps times boards.
  __device__ void feature_gradients(std::uint32_t chunk, int first, FeatureGradients& dx) const {
    const std::uint32_t delta =
        ptx::shared_address(room().delta) + static_cast<std::uint32_t>(first * kDeltaRow);
    ptx::wgmma_fence();
#pragma unroll
    for (int k = 0; k < kUnitGroups; ++k) {
      ptx::wgmma_32(dx, ptx::wgmma_operand(chunk + k * 4 * kUnitsRow, 2 * kUnitsRow, 2 * kMatrix),
                    ptx::wgmma_operand(delta + k * 2 * kDeltaMatrix, kDeltaMatrix, kDeltaRow));
    }
    ptx::wgmma_commit();
  }

  // This lane's share of |X^T D|^2 = sum of (X X^T) (D D^T) over a place's features X of the kept
  // rows and their gradients D of H.
  __device__ static float weight_gradient_square(const KeptFeatures& x, int lane) {
    std::uint32_t y[kEights][2];
#pragma unroll
    for (int b = 0; b < kEights; ++b) {
      y[b][0] = ptx::transposed(x[b][0]);
      y[b][1] = ptx::transposed(x[b][1]);
    }
    float square = 0;
#pragma unroll
    for (int row = 0; row < kEights; row += 2) {
#pragma unroll
      for (int column = row; column < kEights; ++column) {
        const float4 d = room().delta_gram[gram_tile(row, column)][lane];
        float gram[4] = {};
        ptx::mma(gram, y[row][0], y[row + 1][0], y[row][1], y[row + 1][1], y[column][0],
                 y[column][1]);
        square =
            fmaf(gram[0], d.x, fmaf(gram[1], d.y, fmaf(gram[2], d.z, fmaf(gram[3], d.w, square))));
      }
    }
    return square;
  }

  // Gradients of maps g (or g + 8) of two boards, zero where the ReLU was.
  __device__ static std::uint32_t through_relu(const float (&dx)[4], const std::uint32_t (&x)[2],
                                               int more) {
    return ptx::pack((x[more] & 0xFFFFU) != 0 ? dx[2 * more] : 0.0F,
                     (x[more] >> 16) != 0 ? dx[2 * more + 1] : 0.0F);
  }

  // Weight gradients of 16 units, whose gradients begin at `delta` for this lane: maps below 8 and
  // the others.
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

  // Two neighbouring weights: f32 = bits of the fp16 + the low bits, moved and split again.
  __device__ static void move_pair(const Fp16Step& step, std::uint32_t& high, std::uint32_t& low,
                                   float& va, float& vb, float da, float db) {
    const float2 h = __half22float2(reinterpret_cast<const __half2&>(high));
    const auto low_a = static_cast<std::int32_t>(static_cast<std::int16_t>(low & 0xFFFFU));
    const std::int32_t low_b = static_cast<std::int32_t>(low) >> 16;
    float a = __uint_as_float(__float_as_uint(h.x) + static_cast<std::uint32_t>(low_a));
    float b = __uint_as_float(__float_as_uint(h.y) + static_cast<std::uint32_t>(low_b));
    va = fmaf(step.fresh * da, da, step.alpha * va);
    vb = fmaf(step.fresh * db, db, step.alpha * vb);
    const float ra = ptx::approximate_reciprocal(ptx::approximate_sqrt(va) + step.eps);
    const float rb = ptx::approximate_reciprocal(ptx::approximate_sqrt(vb) + step.eps);
    a = fmaf(-step.rate, da * ra, a);
    b = fmaf(-step.rate, db * rb, b);
    high = ptx::pack(a, b);
    const float2 rounded = __half22float2(reinterpret_cast<const __half2&>(high));
    low = ptx::pack_clamped(
        static_cast<std::int32_t>(__float_as_uint(a) - __float_as_uint(rounded.x)),
        static_cast<std::int32_t>(__float_as_uint(b) - __float_as_uint(rounded.y)));
  }

  // Moves this lane's weights of a block, whose low bits and moments lie at `from` and go to
  // `rest`; dw0 are maps below 8, dw1 the others.
  __device__ static void move_block(const Fp16Step& step, const unsigned char* from,
                                    std::byte* rest, std::uint32_t* words, std::uint32_t (&high)[4],
                                    const float (&dw0)[4], const float (&dw1)[4]) {
    uint4 low = *reinterpret_cast<const uint4*>(from);
    float4 v0 = *reinterpret_cast<const float4*>(from + kHighBytes);
    float4 v1 = *reinterpret_cast<const float4*>(from + kHighBytes + 512);
    move_pair(step, high[0], low.x, v0.x, v0.y, dw0[0], dw0[1]);
    move_pair(step, high[2], low.z, v0.z, v0.w, dw0[2], dw0[3]);
    move_pair(step, high[1], low.y, v1.x, v1.y, dw1[0], dw1[1]);
    move_pair(step, high[3], low.w, v1.z, v1.w, dw1[2], dw1[3]);
    *reinterpret_cast<uint4*>(rest) = low;
    *reinterpret_cast<float4*>(rest + kHighBytes) = v0;
    *reinterpret_cast<float4*>(rest + kHighBytes + 512) = v1;
#pragma unroll
    for (int part = 0; part < 4; ++part) words[high_part(part) / 2] = high[part];
  }
};

}  // namespace tarl::fleet
