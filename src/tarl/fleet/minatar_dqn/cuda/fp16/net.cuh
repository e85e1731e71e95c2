// SPDX-License-Identifier: MIT
#pragma once

#include "tarl/agents/td_target.h"
#include "tarl/fleet/cuda/optimizer.cuh"
#include "tarl/fleet/cuda/replay/storage.cuh"
#include "tarl/fleet/minatar_dqn/cuda/fp16/act.cuh"
#include "tarl/fleet/minatar_dqn/cuda/fp16/backward.cuh"
#include "tarl/fleet/minatar_dqn/cuda/fp16/forward.cuh"
#include "tarl/fleet/minatar_dqn/cuda/fp16/small.cuh"

// agents::DqnAgent with the paper's network (16 maps, 128 units) on tensor cores: fp16 operands;
// f32 sums, parameters and moments.
namespace tarl::fleet {

template <bool kSmall, int kKept>
class Fp16Net : Fp16Small<kSmall, kKept> {
 public:
  using Small = Fp16Small<kSmall, kKept>;

  __device__ static Shared& shared() { return fp16_memory<kSmall, kKept>().shared; }

  // Small parameters stay in shared memory during a slice.
  __device__ __noinline__ void begin() {
    Small::load();
    if (thread_id() < kWarps) smem().ring_phases[thread_id()] = 0;
    if (thread_id() == 0) {
      for (int i = 0; i < kRingChunks; ++i) {
        ptx::barrier_init(ptx::shared_address(&smem().full[i]), 1);
        ptx::barrier_init(ptx::shared_address(&smem().empty[i]), kThreads);
      }
      ptx::fence_barriers();
    }
    Fp16Forward<kSmall, kKept>::plan();
    meet(spec());
  }

  __device__ __noinline__ void end() {
    if (ptx::cluster_rank() > 0) return;
    Small::store();
    __syncthreads();
  }

  // See net_concept.cuh.
  __device__ void* free_smem() { return smem().group_sums(2); }

  __device__ __noinline__ void act(int rows) {
    Fp16Act<kSmall, kKept>{spec(), PackedView::of(view())}.run(rows);
  }

  static constexpr bool kBoardsInShared = true;

  // Where gathered boards go: s, then s'.
  __device__ BoardRows boards() const {
    const int stride = board_stride(spec());
    return {smem().boards, smem().boards + spec().candidates * stride, stride};
  }

  // See net_concept.cuh.
  __device__ void ask_ahead() { Fp16Forward<kSmall, kKept>::ask_ahead(); }

  // Q and targets of the gathered rows; with `act` also Q of the observation to act on.
  __device__ __forceinline__ void assess(bool act) {
    using Forward = Fp16Forward<kSmall, kKept>;
    if (act && !Forward::can_act()) this->act(1);
    Forward::run();
    static_assert(kFp16Rows <= kThreads);
    const int row = thread_id();
    const bool choose_online = spec().double_q != 0;
    if (row < Forward::rows()) {
      const float* online = smem().q[1][row];
      const float* target = smem().q[2][row];
      const int best = greedy(choose_online ? online : target);
      s().y_offline[row] = target_of(row, target[best]);
      if (Forward::online_next()) {
        s().y_online[row] = target_of(row, online[choose_online ? best : greedy(online)]);
      }
      s().q[row] = smem().q[0][row][s().action[row]];
    }
    __syncthreads();
  }

  // As PlainNet's; `beside` overlaps with the weight pass.
  template <class DoBeside>
  __device__ __forceinline__ bool update(DoBeside beside) {
    // Requested early, so that the latency is hidden by the computation.
    std::uint32_t ticket = 0, left = 0;
    if (queues()) {
      ticket = atomicAdd(&view().admission->came, 1U);
      left = ptx::load_now(&view().admission->left);
    }
    const float scale = delta_scale(), unscale = 1.0F / scale;
    if (!spread_delta(scale)) {
      if (queues()) atomicAdd(&view().admission->left, 1U);
      if (thread_id() == 0) s().grad_norm = HUGE_VAL;
      return false;
    }
    Small::fetch_moments();
    if (queues()) {
      while (ticket - left >= AdmissionLimit::limit(spec().replay)) {
        ptx::sleep(200);
        left = ptx::load_now(&view().admission->left);
      }
    }
    __syncthreads();
    const float scaled_square = Backward::of_agent().move(unscale, beside, [&] {
      // The other warps are about to finish, too.
      if (queues()) atomicAdd(&view().admission->left, 1U);
      __syncwarp();  // reconverges the warp, or thread 0 would execute the rest alone
    });
    double own = static_cast<double>(scaled_square * unscale * unscale);
    if (spec().blocks > 1) {
      tell_totals(own);
      own = 0;
      if (thread_id() == 0) own = sum_over_blocks(&smem().big_square, spec().blocks);
    }
    own += Small::gradients([&](int e) { return conv_gradient(e) * unscale; });
    const double norm = sqrt(block_sum(own, s().scratch));
    if (thread_id() == 0) s().grad_norm = norm;
    const float clip = clip_scale(norm, spec().max_grad_norm);
    if (clip < 1.0F) Backward::clip(unscale, clip);
    ptx::fence_bulk_global();  // for the weights; the small moments are written later
    __syncthreads();           // both weight passes need the features of the old convolution
    Small::move(clip);
    meet(spec());
    return true;
  }

  __device__ __noinline__ void sync_target() {
    const ChunkRange chunks = ChunkRange::of(spec());
    const PackedView packed = PackedView::of(view());
    constexpr int kChunkWords = kChunkBytes / 16;
    for (int i = thread_id(); i < chunks.count * kChunkWords; i += kThreads) {
      const int at = chunks.first * kChunkWords + i;
      packed.target[at] = packed.high[at];
    }
    for (int i = thread_id(); i < ConvShape<kSmall>::kSteps * 32; i += kThreads) {
      smem().conv_target[i / 32][i % 32] = smem().conv[i / 32][i % 32];
    }
    if (ptx::cluster_rank() == 0) Small::store(view().target);
    for (int i = thread_id(); i < kPartials; i += kThreads) {
      smem().target.flat[i] = smem().online.flat[i];
    }
    __threadfence();
    ptx::fence_bulk_global();
    __syncthreads();
  }

 private:
  // The thread that queues for admission; agents with several blocks do not queue.
  __device__ static bool queues() { return thread_id() == 0 && spec().blocks == 1; }

  static constexpr unsigned kOneExponent = 127;  // exponent bits of 1.0

  using Backward = Fp16Backward<kSmall, kKept>;
  using Small::net, Small::smem, Small::s, Small::spec, Small::view;

  // Publishes the totals of this block's share of the gradient for the other blocks.
  __device__ void tell_totals(double square) {
    for (int e = thread_id(); e < ConvShape<kSmall>::kElements; e += kThreads) {
      smem().conv_totals()[e] = Backward::conv_gradient(e);
    }
    const double total = block_sum(square, s().scratch);
    if (thread_id() == 0) smem().big_square = static_cast<float>(total);
    ptx::cluster_sync();
  }

  __device__ float conv_gradient(int element) const {
    if (spec().blocks == 1) return Backward::conv_gradient(element);
    return sum_over_blocks(smem().conv_totals() + element, spec().blocks);
  }

  __device__ int greedy(const float* q) const {
    const int actions = net().actions;
    int best = 0;
    float most = q[0];
#pragma unroll
    for (int a = 1; a < kMaxActions; ++a) {
      const bool better = a < actions && q[a] > most;
      best = better ? a : best;
      most = better ? q[a] : most;
    }
    return best;
  }

  __device__ float target_of(int row, float value) const {
    return agents::td_target(s().reward[row], s().discount[row], value);
  }

  // A power of two that scales the slopes into the most accurate range of fp16.
  __device__ float delta_scale() const {
    float mine = fabsf(s().slope[lane_id()]);
#pragma unroll
    for (int k = 32; k < kKept; k += 32) mine = fmaxf(mine, fabsf(s().slope[lane_id() + k]));
    // The bits of positive floats are ordered like their values; the exponent starts at bit 23.
    const unsigned largest = __reduce_max_sync(kFullWarp, __float_as_uint(mine));
    const unsigned exponent = largest > __float_as_uint(1e-30F) ? largest >> 23 : kOneExponent;
    return __uint_as_float((2 * kOneExponent + 4 - exponent) << 23);
  }

  // Gradients of H for the kept rows, and partial sums of the gradients that follow from them.
  // Returns false if a value exceeds the range of fp16.
  __device__ bool spread_delta(float scale) {
    const int n = thread_id() % kUnits, quarter = thread_id() / kUnits;
    bool good = true;
    float bias = 0, head_bias = 0, head[kMaxActions] = {};
#pragma unroll 2
    for (int i = 0; i < kKept / 4; ++i) {
      const int k = quarter * (kKept / 4) + i, row = s().kept[k], action = s().action[row];
      const float slope = s().slope[k];
      const float h = __half2float(smem().hidden(row)[turned(row, n)]);
      const float d = h > 0.0F ? slope * smem().online.head(action)[n] : 0.0F;
      bias += d;
      head_bias += action == n ? slope : 0.0F;
      good = good && h <= kMostFp16 && fabsf(d * scale) <= kMostFp16;
#pragma unroll
      for (int a = 0; a < kMaxActions; ++a) head[a] += a == action ? h * slope : 0.0F;
      *reinterpret_cast<__half*>(smem().delta + k / 8 * kDeltaRow + n / 8 * kDeltaMatrix +
                                 k % 8 * 16 + n % 8 * 2) = __float2half_rn(d * scale);
    }
    float* partial = smem().partials() + quarter * kPartials + n;
#pragma unroll
    for (int a = 0; a < kMaxActions; ++a) partial[a * kUnits] = head[a];
    partial[kMaxActions * kUnits] = bias;
    if (n < 8) partial[kUnitPartials] = head_bias;
    constexpr int kMaxWords = kMaxObsBytes / 8;  // a power of two, so that divisions are shifts
    const int words = spec().obs_bytes / 8, stride = board_stride(spec());
#pragma unroll
    for (int i = 0; i < kKept * kMaxWords; i += kThreads) {
      const int k = (i + thread_id()) / kMaxWords, word = thread_id() % kMaxWords;
      if (word >= words) continue;
      reinterpret_cast<std::uint64_t*>(smem().kept_boards + k * stride)[word] =
          reinterpret_cast<const std::uint64_t*>(smem().boards + s().kept[k] * stride)[word];
    }
    for (int i = thread_id(); i < ConvShape<kSmall>::kSteps * 32; i += kThreads) {
      const uint4 w = smem().conv[0][i];
      smem().conv_columns()[i] = make_uint4(w.x, w.z, w.y, w.w);
    }
    return __syncthreads_and(good ? 1 : 0) != 0;
  }
};

}  // namespace tarl::fleet
