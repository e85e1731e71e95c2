// SPDX-License-Identifier: MIT
#pragma once

#include <cfloat>

#include "tarl/agents/td_target.h"
#include "tarl/fleet/cuda/fp16_act.cuh"
#include "tarl/fleet/cuda/fp16_backward.cuh"
#include "tarl/fleet/cuda/fp16_forward.cuh"
#include "tarl/fleet/cuda/optimizer.cuh"
#include "tarl/fleet/cuda/storage.cuh"

// agents::DqnAgent with the paper's network (16 maps, 128 units) on tensor cores: operands of
// products are fp16, sums, parameters and moments f32.
namespace tarl::fleet {

template <bool kSmall>
class Fp16Net {
 public:
  using Room = Fp16Room<kSmall>;

  __device__ Fp16Net(const AgentSpec& spec, const AgentView& view, const PackedView& packed,
                     Shared& shared, Room& room)
      : spec_(spec), net_(spec.net), view_(view), packed_(packed), s_(shared), room_(room) {}

  // Small parameters live in shared memory over a slice.
  __device__ __noinline__ void begin() {
    load_small(view_.values, room_.head, room_.bias, room_.head_bias, room_.conv);
    load_small(view_.target, room_.head_target, room_.bias_target, room_.head_bias_target,
               room_.conv_target);
    for (int i = thread_id(); i < net_.conv_bias + kMaps; i += kThreads) {
      room_.conv_values[i] = view_.values[i];
    }
    if (thread_id() == 0) {
      for (int i = 0; i < kStages; ++i) {
        ptx::barrier_init(ptx::shared_address(&room_.full[i]), 1);
        ptx::barrier_init(ptx::shared_address(&room_.empty[i]), kWarps);
      }
      for (auto& warp : room_.slot) {
        for (auto& slot : warp) ptx::barrier_init(ptx::shared_address(&slot), 1);
      }
      ptx::fence_barriers();
    }
    measure_weights();
  }

  __device__ __noinline__ void end() {
    for (int i = thread_id(); i < net_.conv_bias + kMaps; i += kThreads) {
      view_.values[i] = room_.conv_values[i];
    }
    store_small(view_.values);
    __syncthreads();
  }

  __device__ void* free_room() { return room_.main; }

  __device__ void act(int rows) { Fp16Act<kSmall>{spec_, packed_, room_, s_}.run(rows); }

  __device__ void evaluate() {
    const int rows = spec_.candidates, stride = board_stride(spec_);
    const bool choose_online = spec_.double_q != 0;
    const bool online_next = choose_online || spec_.needs_scores != 0;
    gather(spec_, view_, s_, room_.boards, room_.boards + rows * stride, stride);
    Fp16Forward<kSmall>{spec_, packed_, room_, stages_done_}.run(rows, online_next);
    for (int row = thread_id(); row < rows; row += kThreads) {
      const float* online = room_.q[1][row];
      const float* target = room_.q[2][row];
      const int best = online_next ? greedy(online) : 0;
      if (online_next) s_.y_online[row] = target_of(row, online[best]);
      s_.y_offline[row] = target_of(row, target[choose_online ? best : greedy(target)]);
      s_.q[row] = room_.q[0][row][s_.action[row]];
    }
    __syncthreads();
  }

  // Clipping needs the norm of the gradient before anything moves, but the gradient is never kept:
  // where a bound shows that the norm is below the limit (almost always) the update is made at
  // once, else the gradient is computed twice, first only to be measured.
  __device__ __noinline__ bool update() {
    const float scale = delta_scale();
    spread_delta(scale);
    float gradient[3];
    const double small = small_gradients(gradient);
    const double limit = spec_.max_grad_norm > 0 ? spec_.max_grad_norm - 1e-5 : 1e18;
    float clip = 1.0F;
    if (!(norm_bound(small) < limit * limit)) {
      const double norm = sqrt(small + pass({false, 1.0F / scale}));
      if (!isfinite(norm)) {
        if (thread_id() == 0) s_.grad_norm = norm;
        return false;
      }
      clip = clip_scale(norm, spec_.max_grad_norm);
    }
    const OptimizerPlan& plan = spec_.optimizer;
    move_small(gradient, clip);
    const double rest =
        pass({true, clip / scale, plan.alpha, plan.one_minus_alpha, plan.rate, plan.eps});
    const double clipped = static_cast<double>(clip) * static_cast<double>(clip);
    if (thread_id() == 0) s_.grad_norm = sqrt(small + rest / clipped);
    __threadfence();
    ptx::fence_bulk();
    __syncthreads();
    return true;
  }

  __device__ __noinline__ void sync_target() {
    for (int i = thread_id(); i < kPackedBlocks * kHighBytes / 16; i += kThreads) {
      packed_.target[i] = packed_.high[i];
    }
    for (int i = thread_id(); i < ConvShape<kSmall>::kSteps * 32; i += kThreads) {
      room_.conv_target[i / 32][i % 32] = room_.conv[i / 32][i % 32];
    }
    for (int i = thread_id(); i < net_.conv_bias + kMaps; i += kThreads) {
      view_.target[i] = room_.conv_values[i];
    }
    for (int i = thread_id(); i < kMaxActions * kUnits; i += kThreads) {
      room_.head_target[i / kUnits][i % kUnits] = room_.head[i / kUnits][i % kUnits];
    }
    if (thread_id() < kUnits) room_.bias_target[thread_id()] = room_.bias[thread_id()];
    if (thread_id() < 8) room_.head_bias_target[thread_id()] = room_.head_bias[thread_id()];
    store_small(view_.target);
    __threadfence();
    ptx::fence_bulk();
    __syncthreads();
  }

 private:
  __device__ const LayerPlan& big() const { return net_.layer[0]; }

  __device__ const LayerPlan& top() const { return net_.layer[1]; }

  __device__ int greedy(const float* q) const {
    int best = 0;
    for (int a = 1; a < net_.actions; ++a) best = q[a] > q[best] ? a : best;
    return best;
  }

  __device__ float target_of(int row, float value) const {
    return agents::td_target(s_.reward[row], s_.discount[row], value);
  }

  __device__ void load_small(const float* values, float (&head)[kMaxActions][kUnits],
                             float (&bias)[kUnits], float (&head_bias)[8],
                             uint4 (&conv)[ConvShape<kSmall>::kSteps][32]) {
    for (int i = thread_id(); i < kMaxActions * kUnits; i += kThreads) {
      const int a = i / kUnits, n = i % kUnits;
      head[a][n] = a < net_.actions ? values[top().weight + n * net_.actions + a] : 0.0F;
    }
    if (thread_id() < kUnits) bias[thread_id()] = values[big().bias + thread_id()];
    if (thread_id() < 8) {
      head_bias[thread_id()] = thread_id() < net_.actions ? values[top().bias + thread_id()] : 0.0F;
    }
    for (int e = thread_id(); e < ConvShape<kSmall>::kElements; e += kThreads) {
      const int place = conv_place<kSmall>(net_, e);
      put_conv<kSmall>(reinterpret_cast<__half*>(conv), e, place >= 0 ? values[place] : 0.0F);
    }
    __syncthreads();
  }

  __device__ void store_small(float* values) const {
    for (int i = thread_id(); i < net_.actions * kUnits; i += kThreads) {
      const int a = i / kUnits, n = i % kUnits;
      values[top().weight + n * net_.actions + a] = room_.head[a][n];
    }
    if (thread_id() < kUnits) values[big().bias + thread_id()] = room_.bias[thread_id()];
    if (thread_id() < net_.actions) values[top().bias + thread_id()] = room_.head_bias[thread_id()];
  }

  // A bound of the squared norm of the big layer, rounding of its fp16s included.
  __device__ void measure_weights() {
    float square = 0;
    const auto* halves = reinterpret_cast<const __half2*>(packed_.high);
    for (int i = thread_id(); i < kFeatures * kUnits / 2; i += kThreads) {
      const float2 w = __half22float2(halves[i]);
      square = fmaf(w.x, w.x, fmaf(w.y, w.y, square));
    }
    const double total = block_sum(static_cast<double>(square), s_.room);
    if (thread_id() == 0) room_.weight_square = 1.01 * total;
    __syncthreads();
  }

  // A power of two that brings the slopes to where fp16 is at its best.
  __device__ float delta_scale() const {
    const float largest = warp_max(fabsf(s_.slope[lane_id()]));
    const int exponent = largest > 1e-30F ? ilogbf(largest) : 0;
    return exp2f(static_cast<float>(4 - exponent));
  }

  // Gradient of H of the kept rows, and partial sums of the gradients that follow from it.
  __device__ void spread_delta(float scale) {
    const int n = thread_id() % kUnits, quarter = thread_id() / kUnits;
    float bias = 0, head[kMaxActions] = {};
#pragma unroll
    for (int i = 0; i < kKept / 4; ++i) {
      const int k = quarter * (kKept / 4) + i, row = s_.kept[k], action = s_.action[row];
      const float slope = s_.slope[k];
      const float h = __half2float(room_.hidden()[row * kHiddenStride + n]);
      const float d = h > 0.0F ? slope * room_.head[action][n] : 0.0F;
      bias += d;
#pragma unroll
      for (int a = 0; a < kMaxActions; ++a) head[a] += a == action ? h * slope : 0.0F;
      room_.delta[k][n] = __float2half_rn(d * scale);
    }
    float* partial = room_.partials() + quarter * kPartials * kUnits + n;
#pragma unroll
    for (int a = 0; a < kMaxActions; ++a) partial[a * kUnits] = head[a];
    partial[kMaxActions * kUnits] = bias;
    const int words = spec_.obs_bytes / 8, stride = board_stride(spec_);
    for (int i = thread_id(); i < kKept * words; i += kThreads) {
      const int k = i / words, word = i % words;
      reinterpret_cast<std::uint64_t*>(room_.kept_boards + k * stride)[word] =
          reinterpret_cast<const std::uint64_t*>(room_.boards + s_.kept[k] * stride)[word];
    }
    __syncthreads();
  }

  // This thread's gradients of the head, of the big layer's biases and of the head's biases, and
  // the squared norm of all of them.
  __device__ double small_gradients(float (&gradient)[3]) {
    double square = 0;
#pragma unroll
    for (int i = 0; i < 2; ++i) {
      const int e = thread_id() + i * kThreads;
      gradient[i] = 0;
      if (e >= kPartials * kUnits) continue;
      for (int quarter = 0; quarter < 4; ++quarter) {
        gradient[i] += room_.partials()[quarter * kPartials * kUnits + e];
      }
      square += static_cast<double>(gradient[i]) * static_cast<double>(gradient[i]);
    }
    gradient[2] = 0;
    if (thread_id() < net_.actions) {
      for (int k = 0; k < kKept; ++k) {
        gradient[2] += s_.action[s_.kept[k]] == thread_id() ? s_.slope[k] : 0.0F;
      }
      square += static_cast<double>(gradient[2]) * static_cast<double>(gradient[2]);
    }
    return block_sum(square, s_.room);
  }

  // With D = |gradient of H| of a row, at most |slope| |head's weights of its action|, and B^2 the
  // sum of squares of its windows, at most 9 bits + 64 biases: the row's features have a norm of at
  // most |conv| B, their gradient one of at most |big layer| D. So the big layer's gradient is at
  // most |conv| sum(D B), the convolution's at most |big layer| sum(D B).
  __device__ double norm_bound(double small) {
    if (warp_id() < kMaxActions) {
      double square = 0;
      for (int n = lane_id(); n < kUnits; n += 32) {
        const double w = room_.head[warp_id()][n];
        square += w * w;
      }
      square = warp_sum(square);
      if (lane_id() == 0) s_.score[warp_id()] = sqrt(square);
    }
    double conv = 0;
    for (int i = thread_id(); i < net_.conv_bias + kMaps; i += kThreads) {
      const double w = room_.conv_values[i];
      conv += w * w;
    }
    __syncthreads();
    double product = 0;
    if (thread_id() < kKept) {
      const int k = thread_id();
      int bits = 0;
      const auto* board =
          reinterpret_cast<const std::uint32_t*>(room_.kept_boards + k * board_stride(spec_));
      for (int i = 0; i < spec_.obs_bytes / 4; ++i) bits += __popc(board[i]);
      product = fabs(static_cast<double>(s_.slope[k])) * s_.score[s_.action[s_.kept[k]]] *
                sqrt(9.0 * bits + kPositions);
    }
    block_sums(product, conv, s_.room);
    // Roundings to fp16 are below a part in a thousand each.
    return small + 1.02 * product * product * (conv + room_.weight_square);
  }

  // Computes the gradients of the big layer and of the convolution, moves what they belong to if
  // asked, and returns their squared norm, clipped as the step says.
  __device__ __noinline__ double pass(const Fp16Step step) {
    Fp16Backward<kSmall> backward{packed_, room_,
                                  kSmall ? 4U : static_cast<std::uint32_t>(net_.channels),
                                  board_stride(spec_), phases_};
    const Fp16Squares squares = backward.run(step);
    phases_ = backward.phases;
    backward.sum_conv();
    float conv = 0;
    for (int e = thread_id(); e < ConvShape<kSmall>::kElements; e += kThreads) {
      const int place = conv_place<kSmall>(net_, e);
      if (place < 0) continue;
      const float g = backward.conv_gradient(e) * step.unscale;
      conv = fmaf(g, g, conv);
      if (!step.apply) continue;
      move_value(room_.conv_values[place], place, g);
      put_conv<kSmall>(reinterpret_cast<__half*>(room_.conv), e, room_.conv_values[place]);
    }
    const float big = squares.gradient * step.unscale * step.unscale;
    const double total = block_sum(static_cast<double>(big) + static_cast<double>(conv), s_.room);
    if (step.apply) {
      const double weights = block_sum(static_cast<double>(squares.weight), s_.room);
      if (thread_id() == 0) room_.weight_square = 1.01 * weights;
      __syncthreads();
    }
    return total;
  }

  // RMSprop of one small parameter; `at` is its place among all.
  __device__ void move_value(float& value, int at, float g) const {
    const OptimizerPlan& plan = spec_.optimizer;
    const float v = fmaf(plan.alpha, view_.moment[0][at], plan.one_minus_alpha * (g * g));
    view_.moment[0][at] = v;
    value = fmaf(-plan.rate, g / (sqrtf(v) + plan.eps), value);
  }

  __device__ void move_small(const float (&gradient)[3], float clip) {
#pragma unroll
    for (int i = 0; i < 2; ++i) {
      const int e = thread_id() + i * kThreads, a = e / kUnits, n = e % kUnits;
      if (a < net_.actions) {
        move_value(room_.head[a][n], top().weight + n * net_.actions + a, clip * gradient[i]);
      } else if (a == kMaxActions) {
        move_value(room_.bias[n], big().bias + n, clip * gradient[i]);
      }
    }
    if (thread_id() < net_.actions) {
      move_value(room_.head_bias[thread_id()], top().bias + thread_id(), clip * gradient[2]);
    }
  }

  const AgentSpec& spec_;
  const NetPlan& net_;
  const AgentView& view_;
  const PackedView& packed_;
  Shared& s_;
  Room& room_;
  std::uint32_t stages_done_ = 0;
  std::uint32_t phases_ = 0;
};

}  // namespace tarl::fleet
