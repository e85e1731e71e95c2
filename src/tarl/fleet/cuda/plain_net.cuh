// SPDX-License-Identifier: MIT
#pragma once

#include "tarl/agents/td_target.h"
#include "tarl/fleet/cuda/agent_view.cuh"
#include "tarl/fleet/cuda/bit_board.cuh"
#include "tarl/fleet/cuda/optimizer.cuh"
#include "tarl/fleet/cuda/storage.cuh"
#include "tarl/fleet/cuda/tile_product.cuh"

// agents::DqnAgent in f32 for one block: any hidden layers, activations in the device's memory.
namespace tarl::fleet {

// Where activations lie in AgentView::scratch, in floats.
struct PlainScratch {
  std::int64_t layer[kMaxHidden + 1];     // [m + b][out] of the online network at s
  std::int64_t delta[kMaxHidden + 1];     // [m][out]
  std::int64_t features, other_features;  // [m + b][kFeatures]
  std::int64_t other[2];                  // [m + b][widest]
  std::int64_t delta_features;            // [m][kFeatures]
  std::int64_t size;
};

__host__ __device__ inline PlainScratch plain_scratch(const AgentSpec& spec) {
  PlainScratch at{};
  // Evaluations act on a few rows even where updates have fewer.
  const std::int64_t rows = spec.candidates > kMaxEvalEpisodes ? spec.candidates : kMaxEvalEpisodes;
  std::int64_t next = 0;
  const auto take = [&next](std::int64_t floats) {
    const std::int64_t here = next;
    next += (floats + 3) / 4 * 4;
    return here;
  };
  std::int64_t widest = 0;
  for (int l = 0; l < spec.net.layers; ++l) {
    const std::int64_t out = spec.net.layer[l].out;
    widest = out > widest ? out : widest;
    at.layer[l] = take(rows * out);
    at.delta[l] = take(spec.batch * out);
  }
  at.features = take(rows * kFeatures);
  at.other_features = take(rows * kFeatures);
  for (std::int64_t& other : at.other) other = take(rows * widest);
  at.delta_features = take(static_cast<std::int64_t>(spec.batch) * kFeatures);
  at.size = next;
  return at;
}

__device__ inline int greedy_action(const float* q, int actions) {
  int best = 0;
  for (int a = 1; a < actions; ++a) best = q[a] > q[best] ? a : best;
  return best;
}

// kTf32: operands of the layers' products are rounded and multiplied on tensor cores.
template <bool kTf32>
class PlainNet {
 public:
  struct Room {
    float conv[kMaxConv];

    union {
      TileRoom tile;
      ConvRoom boards;
    };
  };

  struct Memory {
    Shared shared;
    Room room;
  };

  // The block's shared memory.
  __device__ static Memory& memory() {
    extern __shared__ __align__(128) unsigned char shared_memory[];
    return *reinterpret_cast<Memory*>(shared_memory);
  }

  __device__ static Shared& shared() { return memory().shared; }

  // Of the agent that shared() describes.
  __device__ PlainNet()
      : spec_(shared().spec),
        net_(spec_.net),
        view_(shared().view),
        s_(shared()),
        room_(memory().room),
        at_(plain_scratch(spec_)) {}

  __device__ void begin() {}

  __device__ void end() {}

  // Memory that is free between the calls.
  __device__ void* free_room() { return &room_.tile; }

  // s.act_q of `rows` observations in s.act_obs.
  __device__ void act(int rows) {
    const float* q = forward(view_.values, s_.act_obs[0], kMaxObsBytes, rows, false);
    for (int i = thread_id(); i < rows * net_.actions; i += kThreads) {
      s_.act_q[i / net_.actions][i % net_.actions] = q_value(q, i / net_.actions, i % net_.actions);
    }
    __syncthreads();
  }

  static constexpr bool kBoardsInShared = false;

  // Where gathered boards go.
  __device__ BoardRows boards() const {
    return {view_.batch, view_.batch + spec_.candidates * spec_.obs_bytes, spec_.obs_bytes};
  }

  __device__ void ask_ahead() {}

  // Of the gathered rows: s.q, s.y_offline and, where asked, s.y_online; with `act` also s.act_q of
  // the first observation in s.act_obs. Out of line, because nvcc 13.0 breaks down on it otherwise.
  __device__ __noinline__ void evaluate(bool act) {
    if (act) this->act(1);
    const int rows = spec_.candidates;
    const std::byte* obs = boards().obs;
    const std::byte* next_obs = boards().next_obs;
    const float* q = forward(view_.values, obs, spec_.obs_bytes, rows, true);
    for (int row = thread_id(); row < rows; row += kThreads) {
      s_.q[row] = q_value(q, row, s_.action[row]);
    }
    const bool choose_online = spec_.double_q != 0;
    if (choose_online || spec_.needs_scores != 0) {
      const float* online = forward(view_.values, next_obs, spec_.obs_bytes, rows, false);
      for (int row = thread_id(); row < rows; row += kThreads) {
        const int best = greedy(online, row);
        s_.y_online[row] = target_of(row, q_value(online, row, best));
        s_.kept[row] = best;
      }
      __syncthreads();
    }
    const float* target = forward(view_.target, next_obs, spec_.obs_bytes, rows, false);
    for (int row = thread_id(); row < rows; row += kThreads) {
      const int best = choose_online ? s_.kept[row] : greedy(target, row);
      s_.y_offline[row] = target_of(row, q_value(target, row, best));
    }
    __syncthreads();
  }

  // One optimiser step on the kept rows with gradients s.slope of their predictions, in which the
  // first warps call `beside`. False, and nothing changed nor called, when the gradient is not
  // finite. Sets s.grad_norm.
  template <class DoBeside>
  __device__ bool update(DoBeside beside) {
    const int rows = spec_.batch;
    seed_delta(rows);
    for (int l = net_.layers - 1; l >= 0; --l) {
      if (l > 0) {
        input_gradient(l, rows, layer(l - 1), net_.layer[l].in, delta(l - 1));
      } else {
        input_gradient(0, rows, view_.scratch + at_.features, kFeatures,
                       view_.scratch + at_.delta_features);
      }
    }
    for (int l = 0; l < net_.layers; ++l) {
      weight_gradient(l, rows, l == 0 ? view_.scratch + at_.features : layer(l - 1));
    }
    conv_gradient(net_, room_.boards, view_.batch, spec_.obs_bytes, s_.kept, rows,
                  view_.scratch + at_.delta_features, view_.grads);
    if (!apply_gradients(spec_, view_, s_)) return false;
    if (warp_id() < kBesideWarps) beside(static_cast<Beside>(warp_id()));
    return true;
  }

  __device__ void sync_target() {
    const auto tau = static_cast<float>(spec_.tau);
    for (int i = thread_id(); i < net_.size; i += kThreads) {
      const float online = view_.values[i], old = view_.target[i];
      view_.target[i] = spec_.tau == 1.0 ? online : fmaf(tau, online - old, old);
    }
    __syncthreads();
  }

 private:
  __device__ float* layer(int l) const { return view_.scratch + at_.layer[l]; }

  __device__ float* delta(int l) const { return view_.scratch + at_.delta[l]; }

  // Q of a row of the head's outputs.
  __device__ float q_value(const float* out, int row, int action) const {
    const float* z = out + row * net_.layer[net_.layers - 1].out;
    if (net_.dueling == 0) return z[action];
    float sum = 0;
    for (int a = 0; a < net_.actions; ++a) sum += z[a];
    const float base = z[net_.actions] - sum / static_cast<float>(net_.actions);
    return base + z[action];
  }

  __device__ int greedy(const float* out, int row) const {
    float q[kMaxActions];
    for (int a = 0; a < net_.actions; ++a) q[a] = q_value(out, row, a);
    return greedy_action(q, net_.actions);
  }

  __device__ float target_of(int row, float value) const {
    return agents::td_target(s_.reward[row], s_.discount[row], value);
  }

  // The head's outputs for `rows` boards; `keep` leaves the activations for update().
  __device__ const float* forward(const float* values, const std::byte* obs, int row_bytes,
                                  int rows, bool keep) {
    for (int i = thread_id(); i < net_.conv_bias + kMaps; i += kThreads) room_.conv[i] = values[i];
    __syncthreads();
    float* features = view_.scratch + (keep ? at_.features : at_.other_features);
    conv_forward(net_, room_.conv, obs, row_bytes, rows, features);
    __syncthreads();
    const float* x = features;
    for (int l = 0; l < net_.layers; ++l) {
      float* y = keep ? layer(l) : view_.scratch + at_.other[l % 2];
      linear(values, net_.layer[l], x, rows, y, l + 1 < net_.layers);
      x = y;
    }
    return x;
  }

  __device__ void linear(const float* values, const LayerPlan& plan, const float* x, int rows,
                         float* y, bool relu) {
    if (rows <= kTileRows<1>) {
      linear_tiles<1>(values, plan, x, rows, y, relu);
    } else if (rows <= kTileRows<2>) {
      linear_tiles<2>(values, plan, x, rows, y, relu);
    } else {
      linear_tiles<4>(values, plan, x, rows, y, relu);
    }
  }

  template <int kRows>
  __device__ __noinline__ void linear_tiles(const float* values, const LayerPlan& plan,
                                            const float* x, int rows, float* y, bool relu) {
    for (int r0 = 0; r0 < rows; r0 += kTileRows<kRows>) {
      for (int n0 = 0; n0 < plan.out; n0 += kTileColumns) {
        const float* weight = values + plan.weight + n0;
        tile_product<kTf32, kRows, Along::kDepth, Along::kOther>(
            room_.tile, rows - r0, plan.out - n0, plan.in,
            [&](int d, int r) { return x[(r0 + r) * plan.in + d]; },
            [&](int d, int n) { return weight[d * plan.out + n]; },
            [&](int n) { return values[plan.bias + n0 + n]; },
            [&](int r, int n, float value) {
              y[(r0 + r) * plan.out + n0 + n] = relu ? fmaxf(value, 0.0F) : value;
            });
      }
    }
  }

  // The gradient of the head's outputs.
  __device__ void seed_delta(int rows) {
    const int out = net_.layer[net_.layers - 1].out;
    float* to = delta(net_.layers - 1);
    for (int i = thread_id(); i < rows * out; i += kThreads) {
      const int row = i / out, n = i % out;
      const float slope = s_.slope[row];
      const bool taken = n == s_.action[s_.kept[row]];
      if (net_.dueling == 0) {
        to[i] = taken ? slope : 0.0F;
      } else {
        const float mean = slope / static_cast<float>(net_.actions);
        to[i] = n == net_.actions ? slope : (taken ? slope : 0.0F) - mean;
      }
    }
    __syncthreads();
  }

  // to(r, k) = sum over n of delta(r, n) W(k, n), gated by the ReLU that made the input.
  __device__ __noinline__ void input_gradient(int l, int rows, const float* input, int inputs,
                                              float* to) {
    const LayerPlan& plan = net_.layer[l];
    const float* dy = delta(l);
    const float* weight = view_.values + plan.weight;
    for (int r0 = 0; r0 < rows; r0 += kTileRows<2>) {
      for (int k0 = 0; k0 < inputs; k0 += kTileColumns) {
        tile_product<kTf32, 2, Along::kDepth, Along::kDepth>(
            room_.tile, rows - r0, inputs - k0, plan.out,
            [&](int d, int r) { return dy[(r0 + r) * plan.out + d]; },
            [&](int d, int k) { return weight[(k0 + k) * plan.out + d]; }, [](int) { return 0.0F; },
            [&](int r, int k, float value) {
              const bool open = input[s_.kept[r0 + r] * inputs + k0 + k] > 0.0F;
              to[(r0 + r) * inputs + k0 + k] = open ? value : 0.0F;
            });
      }
    }
  }

  __device__ __noinline__ void weight_gradient(int l, int rows, const float* input) {
    const LayerPlan& plan = net_.layer[l];
    const float* dy = delta(l);
    for (int k0 = 0; k0 < plan.in; k0 += kTileRows<4>) {
      for (int n0 = 0; n0 < plan.out; n0 += kTileColumns) {
        float* to = view_.grads + plan.weight + k0 * plan.out + n0;
        tile_product<kTf32, 4, Along::kOther, Along::kOther>(
            room_.tile, plan.in - k0, plan.out - n0, rows,
            [&](int d, int k) { return input[s_.kept[d] * plan.in + k0 + k]; },
            [&](int d, int n) { return dy[d * plan.out + n0 + n]; }, [](int) { return 0.0F; },
            [&](int k, int n, float value) { to[k * plan.out + n] = value; });
      }
    }
    for (int n = thread_id(); n < plan.out; n += kThreads) {
      float sum = 0;
      for (int row = 0; row < rows; ++row) sum += dy[row * plan.out + n];
      view_.grads[plan.bias + n] = sum;
    }
    __syncthreads();
  }

  const AgentSpec& spec_;
  const NetPlan& net_;
  const AgentView& view_;
  Shared& s_;
  Room& room_;
  PlainScratch at_;
};

}  // namespace tarl::fleet
