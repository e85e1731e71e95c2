// SPDX-License-Identifier: MIT
#pragma once

#include "tarl/agents/td_target.h"
#include "tarl/fleet/cuda/optimizer.cuh"
#include "tarl/fleet/cuda/replay/storage.cuh"
#include "tarl/fleet/cuda/tile_product.cuh"
#include "tarl/fleet/minatar_dqn/cuda/agent_view.cuh"
#include "tarl/fleet/minatar_dqn/cuda/bit_board.cuh"
#include "tarl/fleet/minatar_dqn/cuda/plain/scratch.cuh"

// agents::DqnAgent in f32 or tf32 on one thread block: any hidden layers, activations in global
// memory.
namespace tarl::fleet {

// kTf32: the hidden layers' products round their operands and run on tensor cores.
template <bool kTf32>
class PlainNet {
 public:
  struct Smem {
    PlainScratch at;
    alignas(16) float conv[kMaxConv];

    union {
      TileShared tile;
      ConvShared gradient;
      FeatureShared forward;
    };
  };

  struct Memory {
    Shared shared;
    Smem smem;
  };

  // The block's shared memory.
  __device__ static Memory& memory() {
    extern __shared__ __align__(128) unsigned char shared_memory[];
    return *reinterpret_cast<Memory*>(shared_memory);
  }

  __device__ static Shared& shared() { return memory().shared; }

  __device__ void begin() {
    if (thread_id() == 0) smem().at = plain_scratch(spec());
    __syncthreads();
  }

  __device__ void end() {}

  // See net_concept.cuh.
  __device__ void* free_smem() { return &smem().tile; }

  // Writes s.act_q for `rows` observations in s.act_obs.
  __device__ void act(int rows) {
    const float* q = forward(values(), shared().act_obs[0], kMaxObsBytes, rows, false);
    for (int i = thread_id(); i < rows * net().actions; i += kThreads) {
      shared().act_q[i / net().actions][i % net().actions] =
          q_value(q, i / net().actions, i % net().actions);
    }
    __syncthreads();
  }

  static constexpr bool kBoardsInShared = false;

  // Where gathered boards go.
  __device__ BoardRows boards() const {
    return {view().batch, view().batch + spec().candidates * spec().obs_bytes, spec().obs_bytes};
  }

  __device__ void ask_ahead() {}

  // Writes s.q, s.y_offline and, if required, s.y_online of the gathered rows; with `act` also
  // s.act_q of the first observation in s.act_obs. Out of line because nvcc 13.0 crashes otherwise.
  __device__ __noinline__ void assess(bool act) {
    if (act) this->act(1);
    // A single online forward pass covers s and, if needed, s'.
    const int rows = spec().candidates;
    const bool choose_online = spec().double_q != 0;
    const bool looks_ahead = choose_online || spec().needs_scores != 0;
    const float* online =
        forward(values(), boards().obs, spec().obs_bytes, looks_ahead ? 2 * rows : rows, true);
    for (int row = thread_id(); row < rows; row += kThreads) {
      shared().q[row] = q_value(online, row, shared().action[row]);
      if (!looks_ahead) continue;
      const int best = greedy(online, rows + row);
      shared().y_online[row] = target_of(row, q_value(online, rows + row, best));
      shared().kept[row] = best;
    }
    __syncthreads();
    const float* later = forward(target(), boards().next_obs, spec().obs_bytes, rows, false);
    for (int row = thread_id(); row < rows; row += kThreads) {
      const int best = choose_online ? shared().kept[row] : greedy(later, row);
      shared().y_offline[row] = target_of(row, q_value(later, row, best));
    }
    __syncthreads();
  }

  // One optimiser step on the kept rows with gradients s.slope of their predictions; the first
  // warps call `beside`. If the gradient is not finite, returns false, changes nothing and makes no
  // call. Sets s.grad_norm.
  template <class DoBeside>
  __device__ bool update(DoBeside beside) {
    const int rows = spec().batch, head = net().layers - 1;
    double squares = 0;
    const auto take = [&](int place, float gradient) {
      grads()[place] = gradient;
      squares += static_cast<double>(gradient) * gradient;
    };
    seed_delta(rows);
    if (head == 0) {
      head_input_gradient(rows, features(), delta_features());
    } else {
      head_input_gradient(rows, layer(head - 1), delta(head - 1));
    }
    for (int l = head - 1; l > 0; --l) input_gradient(l, rows, layer(l - 1), delta(l - 1));
    if (head > 0) input_gradient(0, rows, features(), delta_features());
    for (int l = 0; l < head; ++l) {
      squares += weight_gradient(l, rows, l == 0 ? features() : layer(l - 1));
    }
    head_weight_gradient(rows, head == 0 ? features() : layer(head - 1), take);
    for (int l = 0; l < net().layers; ++l) bias_gradient(l, rows, take);
    conv_gradient(net(), smem().gradient, ptx::global(view().batch), spec().obs_bytes,
                  shared().kept, rows, delta_features(), take);
    if (!apply_gradients(spec(), view(), shared(), squares)) return false;
    if (warp_id() < kBesideWarps) beside(static_cast<Beside>(warp_id()));
    return true;
  }

  __device__ void sync_target() {
    const auto tau = static_cast<float>(spec().tau);
    for (int i = thread_id(); i < net().size; i += kThreads) {
      const float online = values()[i], old = target()[i];
      target()[i] = spec().tau == 1.0 ? online : fmaf(tau, online - old, old);
    }
    __syncthreads();
  }

 private:
  // Always derived from the shared array, so that the compiler knows the address space.
  __device__ static Smem& smem() { return memory().smem; }

  __device__ static const AgentSpec& spec() { return shared().spec; }

  __device__ static const NetPlan& net() { return spec().net; }

  __device__ static const AgentView& view() { return shared().view; }

  __device__ static float* values() { return ptx::global(view().values); }

  __device__ static float* target() { return ptx::global(view().target); }

  __device__ static float* grads() { return ptx::global(view().grads); }

  __device__ static float* scratch(std::int64_t at) { return ptx::global(view().scratch) + at; }

  __device__ static float* layer(int l) { return scratch(smem().at.layer[l]); }

  __device__ static float* delta(int l) { return scratch(smem().at.delta[l]); }

  __device__ static float* features() { return scratch(smem().at.features); }

  __device__ static float* delta_features() { return scratch(smem().at.delta_features); }

  // Q(row, action) from the head's outputs.
  __device__ static float q_value(const float* out, int row, int action) {
    const float* z = ptx::global(out) + row * net().layer[net().layers - 1].out;
    if (net().dueling == 0) return z[action];
    float sum = 0;
    for (int a = 0; a < net().actions; ++a) sum += z[a];
    const float base = z[net().actions] - sum / static_cast<float>(net().actions);
    return base + z[action];
  }

  __device__ static int greedy(const float* out, int row) {
    int best = 0;
    float most = q_value(out, row, 0);
#pragma unroll 1
    for (int a = 1; a < net().actions; ++a) {
      const float q = q_value(out, row, a);
      if (q > most) best = a, most = q;
    }
    return best;
  }

  __device__ static float target_of(int row, float value) {
    return agents::td_target(shared().reward[row], shared().discount[row], value);
  }

  // The head's outputs for `rows` boards with the parameters `of`; `keep` stores the activations
  // for update().
  __device__ static const float* forward(const float* of, const std::byte* obs, int row_bytes,
                                         int rows, bool keep) {
    for (int i = thread_id(); i < net().conv_bias + kMaps; i += kThreads) smem().conv[i] = of[i];
    float* x = keep ? features() : scratch(smem().at.other_features);
    conv_forward(net(), smem().conv, smem().forward, obs, row_bytes, rows, x);
    for (int l = 0; l < net().layers; ++l) {
      float* y = keep ? layer(l) : scratch(smem().at.other[l % 2]);
      if (l + 1 == net().layers) {
        head_forward(of, x, rows, y);
      } else if (rows <= 16) {
        linear<16>(of, l, x, rows, y);
      } else if (rows <= 32) {
        linear<32>(of, l, x, rows, y);
      } else if (rows <= 64) {
        linear<64>(of, l, x, rows, y);
      } else {
        linear<128>(of, l, x, rows, y);
      }
      x = y;
    }
    return x;
  }

  template <int kTileRows>
  static __device__ __noinline__ void linear(const float* of, int l, const float* x, int rows,
                                             float* y) {
    const LayerPlan& plan = net().layer[l];
    of = ptx::global(of), y = ptx::global(y);
    tile_product<kTf32, kTileRows, Along::kDepth, Along::kOther>(
        smem().tile, {x, rows, plan.in}, {of + plan.weight, plan.in, plan.out},
        [&](int n) { return of[plan.bias + n]; },
        [](int, int, auto& run) {
#pragma unroll
          for (int i = 0; i < run.kCount; ++i) run.value[i] = fmaxf(run.value[i], 0.0F);
        },
        y);
  }

  // The head has few outputs: one thread per output and row.
  static __device__ __noinline__ void head_forward(const float* of, const float* x, int rows,
                                                   float* y) {
    of = ptx::global(of), x = ptx::global(x), y = ptx::global(y);
    const LayerPlan& plan = net().layer[net().layers - 1];
    for (int i = thread_id(); i < rows * plan.out; i += kThreads) {
      const int n = i % plan.out;
      const float *line = x + i / plan.out * plan.in, *weight = of + plan.weight + n;
      float sum = of[plan.bias + n];
      int d = 0;
      if (plan.in % 4 == 0) {
#pragma unroll 4
        for (; d < plan.in; d += 4) {
          const auto four = *reinterpret_cast<const float4*>(line + d);
          sum = fmaf(four.x, weight[d * plan.out], sum);
          sum = fmaf(four.y, weight[(d + 1) * plan.out], sum);
          sum = fmaf(four.z, weight[(d + 2) * plan.out], sum);
          sum = fmaf(four.w, weight[(d + 3) * plan.out], sum);
        }
      }
      for (; d < plan.in; ++d) sum = fmaf(line[d], weight[d * plan.out], sum);
      y[i] = sum;
    }
    __syncthreads();
  }

  // The gradient of the head's outputs.
  __device__ static void seed_delta(int rows) {
    const int out = net().layer[net().layers - 1].out;
    float* to = delta(net().layers - 1);
    for (int i = thread_id(); i < rows * out; i += kThreads) {
      const int row = i / out, n = i % out;
      const float slope = shared().slope[row];
      const bool taken = n == shared().action[shared().kept[row]];
      if (net().dueling == 0) {
        to[i] = taken ? slope : 0.0F;
      } else {
        const float mean = slope / static_cast<float>(net().actions);
        to[i] = n == net().actions ? slope : (taken ? slope : 0.0F) - mean;
      }
    }
    __syncthreads();
  }

  // to(r, k) = sum over n of delta(r, n) W(k, n), masked by the ReLU that produced the input.
  __device__ static void input_gradient(int l, int rows, const float* input, float* to) {
    if (rows <= 32) {
      input_gradient_tiles<32>(l, rows, input, to);
    } else {
      input_gradient_tiles<64>(l, rows, input, to);
    }
  }

  template <int kTileRows>
  static __device__ __noinline__ void input_gradient_tiles(int l, int rows, const float* input,
                                                           float* to) {
    const LayerPlan& plan = net().layer[l];
    input = ptx::global(input), to = ptx::global(to);
    tile_product<kTf32, kTileRows, Along::kDepth, Along::kDepth>(
        smem().tile, {delta(l), rows, plan.out}, {values() + plan.weight, plan.in, plan.out},
        [](int) { return 0.0F; },
        [&](int r, int k, auto& run) {
          const float* made = input + shared().kept[r] * plan.in + k;
#pragma unroll
          for (int i = 0; i < run.kCount; ++i) {
            if (k + i < plan.in && made[i] <= 0.0F) run.value[i] = 0.0F;
          }
        },
        to);
  }

  static __device__ __noinline__ void head_input_gradient(int rows, const float* input, float* to) {
    const LayerPlan& plan = net().layer[net().layers - 1];
    const float *dy = delta(net().layers - 1), *weight = values() + plan.weight;
    input = ptx::global(input), to = ptx::global(to);
#pragma unroll 4
    for (int i = thread_id(); i < rows * plan.in; i += kThreads) {
      const int r = i / plan.in, k = i % plan.in;
      float sum = 0;
      for (int n = 0; n < plan.out; ++n) {
        sum = fmaf(dy[r * plan.out + n], weight[k * plan.out + n], sum);
      }
      to[i] = input[shared().kept[r] * plan.in + k] > 0.0F ? sum : 0.0F;
    }
    __syncthreads();
  }

  // Weight gradients. Returns this thread's sum of their squares.
  static __device__ __noinline__ double weight_gradient(int l, int rows, const float* input) {
    const LayerPlan& plan = net().layer[l];
    double squares = 0;
    tile_product<kTf32, 128, Along::kOther, Along::kOther>(
        smem().tile, {input, rows, plan.in, shared().kept}, {delta(l), rows, plan.out},
        [](int) { return 0.0F; },
        [&](int, int, auto& run) {
#pragma unroll
          for (int i = 0; i < run.kCount; ++i) {  // values beyond the last column are zero
            const double gradient = run.value[i];
            squares = fma(gradient, gradient, squares);
          }
        },
        grads() + plan.weight);
    return squares;
  }

  template <class Take>
  __device__ static void head_weight_gradient(int rows, const float* input, Take take) {
    const LayerPlan& plan = net().layer[net().layers - 1];
    const float* dy = delta(net().layers - 1);
    input = ptx::global(input);
    for (int i = thread_id(); i < plan.in * plan.out; i += kThreads) {
      const int k = i / plan.out, n = i % plan.out;
      float sum = 0;
#pragma unroll 8
      for (int r = 0; r < rows; ++r) {
        sum = fmaf(input[shared().kept[r] * plan.in + k], dy[r * plan.out + n], sum);
      }
      take(plan.weight + i, sum);
    }
  }

  template <class Take>
  __device__ static void bias_gradient(int l, int rows, Take take) {
    const LayerPlan& plan = net().layer[l];
    for (int n = thread_id(); n < plan.out; n += kThreads) {
      float sum = 0;
#pragma unroll 8
      for (int r = 0; r < rows; ++r) sum += delta(l)[r * plan.out + n];
      take(plan.bias + n, sum);
    }
  }
};

}  // namespace tarl::fleet
