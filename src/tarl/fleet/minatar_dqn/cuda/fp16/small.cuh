// SPDX-License-Identifier: MIT
#pragma once

#include "tarl/fleet/minatar_dqn/cuda/fp16/shared.cuh"

// The parameters beside the big layer's weights: convolution, biases and head. They live in shared
// memory over a slice and move by the rule of the CPU. Their moments lie in the device's memory, in
// the order in which threads move them: SmallValues, then elements of the convolution.
namespace tarl::fleet {

template <bool kSmall, int kKept>
struct Fp16Small {
  static constexpr int kElements = ConvShape<kSmall>::kElements;

  __device__ static Fp16Shared<kSmall, kKept>& smem() { return fp16_memory<kSmall, kKept>().smem; }

  __device__ static Shared& s() { return fp16_memory<kSmall, kKept>().shared; }

  __device__ static const AgentSpec& spec() { return s().spec; }

  __device__ static const NetPlan& net() { return s().spec.net; }

  __device__ static const AgentView& view() { return s().view; }

  // Each block keeps its own, in memory that only the f32 kernel uses otherwise.
  __device__ static float* moments() {
    const int rank = ptx::cluster_rank();
    return rank == 0 ? view().grads : view().replicas + (rank - 1) * net().size;
  }

  // Where a parameter is among all, or -1.
  __device__ static int place_of(int index) {
    if (index >= kPartials) return ConvElement<kSmall>(index - kPartials).place(net());
    const LayerPlan &big = net().layer[0], &top = net().layer[1];
    const int a = index / kUnits, n = index % kUnits, actions = net().actions;
    if (a < kMaxActions) return a < actions ? top.weight + n * actions + a : -1;
    if (a == kMaxActions) return big.bias + n;
    return n < actions ? top.bias + n : -1;
  }

  // What is nowhere among all is zero and stays so.
  __device__ static float value_at(const float* all, int index) {
    const int place = place_of(index);
    return place >= 0 ? all[place] : 0.0F;
  }

  // When a slice begins.
  __device__ static void load() {
    for (int i = thread_id(); i < kPartials; i += kThreads) {
      smem().online.flat[i] = value_at(view().values, i);
      smem().target.flat[i] = value_at(view().target, i);
    }
    for (int e = thread_id(); e < kElements; e += kThreads) {
      smem().conv_values[e] = value_at(view().values, kPartials + e);
      put_conv<kSmall>(smem().conv, e, smem().conv_values[e]);
      put_conv<kSmall>(smem().conv_target, e, value_at(view().target, kPartials + e));
    }
    for (int i = thread_id(); i < kAll; i += kThreads) {
      moments()[i] = value_at(view().moment[0], i);
    }
  }

  // Writes the online network to where all parameters of a network are.
  __device__ static void store(float* all) {
    for (int i = thread_id(); i < kAll; i += kThreads) {
      const int place = place_of(i);
      if (place < 0) continue;
      all[place] = i < kPartials ? smem().online.flat[i] : smem().conv_values[i - kPartials];
    }
  }

  // When a slice ends.
  __device__ static void store() {
    store(view().values);
    for (int i = thread_id(); i < kAll; i += kThreads) {
      const int place = place_of(i);
      if (place >= 0) view().moment[0][place] = moments()[i];
    }
  }

  // A thread asks for the moments of what it moves: they are far away.
  __device__ static void fetch_moments() {
    const float* from = moments();
#pragma unroll 1
    for (int i = thread_id(); i < kAll; i += kThreads) {
      ptx::copy_four(ptx::shared_address(smem().small_moments + i), from + i);
    }
  }

  // Gradients of what a thread moves, and the sum of their squares. `conv_gradient` tells that of
  // an element. Loops are not unrolled: a step's instructions must fit the cache they are read
  // from.
  template <class ConvGradient>
  __device__ static double gradients(ConvGradient conv_gradient) {
    double square = 0;
#pragma unroll 1
    for (int i = thread_id(); i < kAll; i += kThreads) {
      const float g = i < kPartials ? partial_sum(i) : conv_gradient(i - kPartials);
      gradient_of(i) = g;
      square += static_cast<double>(g) * static_cast<double>(g);
    }
    return square;
  }

  // RMSprop.
  __device__ static void move(float clip) {
    const OptimizerPlan& plan = spec().optimizer;
    float* to = moments();
    ptx::wait_for_copies();
#pragma unroll 1
    for (int i = thread_id(); i < kAll; i += kThreads) {
      const bool conv = i >= kPartials;
      float& value = conv ? smem().conv_values[i - kPartials] : smem().online.flat[i];
      const float g = clip * gradient_of(i);
      const float moment =
          fmaf(plan.alpha, smem().small_moments[i], plan.one_minus_alpha * (g * g));
      value = fmaf(-plan.rate, g / (sqrtf(moment) + plan.eps), value);
      to[i] = moment;
      if (conv) put_conv<kSmall>(smem().conv, i - kPartials, value);
    }
  }

 private:
  static constexpr int kAll = kPartials + kElements;

  __device__ static float partial_sum(int index) {
    const float* at = smem().partials() + index;
    return at[0] + at[kPartials] + at[2 * kPartials] + at[3 * kPartials];
  }

  // In the place of the first of its parts, which nobody else reads.
  __device__ static float& gradient_of(int index) {
    return index < kPartials ? smem().partials()[index] : smem().conv_sums(0)[index - kPartials];
  }
};

}  // namespace tarl::fleet
