// SPDX-License-Identifier: MIT
#pragma once

#include "tarl/fleet/minatar_dqn/cuda/fp16/shared.cuh"

// All parameters except the big layer's weights: convolution, biases and head. They stay in shared
// memory during a slice and follow the CPU's update rule. Their moments are in global memory, in
// the order in which threads update them: SmallValues, then the elements of the convolution.
namespace tarl::fleet {

template <bool kSmall, int kKept>
struct Fp16Small {
  static constexpr int kElements = ConvShape<kSmall>::kElements;

  __device__ static Fp16Shared<kSmall, kKept>& smem() { return fp16_memory<kSmall, kKept>().smem; }

  __device__ static Shared& s() { return fp16_memory<kSmall, kKept>().shared; }

  __device__ static const AgentSpec& spec() { return s().spec; }

  __device__ static const NetPlan& net() { return s().spec.net; }

  __device__ static const AgentView& view() { return s().view; }

  // Each block keeps its own copy, in memory otherwise used only by the f32 kernel.
  __device__ static float* moments() {
    const int rank = ptx::cluster_rank();
    return rank == 0 ? view().grads : view().replicas + (rank - 1) * net().size;
  }

  // The index in the flat parameter array, or -1 for padding.
  __device__ static int place_of(int index) {
    if (index >= kPartials) return ConvElement<kSmall>(index - kPartials).place(net());
    const LayerPlan &big = net().layer[0], &top = net().layer[1];
    const int a = index / kUnits, n = index % kUnits, actions = net().actions;
    if (a < kMaxActions) return a < actions ? top.weight + n * actions + a : -1;
    if (a == kMaxActions) return big.bias + n;
    return n < actions ? top.bias + n : -1;
  }

  // Padding is zero and stays zero.
  __device__ static float value_at(const float* all, int index) {
    const int place = place_of(index);
    return place >= 0 ? all[place] : 0.0F;
  }

  // At the beginning of a slice.
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

  // Writes the online network into a flat parameter array.
  __device__ static void store(float* all) {
    for (int i = thread_id(); i < kAll; i += kThreads) {
      const int place = place_of(i);
      if (place < 0) continue;
      all[place] = i < kPartials ? smem().online.flat[i] : smem().conv_values[i - kPartials];
    }
  }

  // At the end of a slice.
  __device__ static void store() {
    store(view().values);
    for (int i = thread_id(); i < kAll; i += kThreads) {
      const int place = place_of(i);
      if (place >= 0) view().moment[0][place] = moments()[i];
    }
  }

  // Each thread starts loading the moments of its parameters, ahead of their use.
  __device__ static void fetch_moments() {
    const float* from = moments();
#pragma unroll 1
    for (int i = thread_id(); i < kAll; i += kThreads) {
      ptx::copy_four(ptx::shared_address(smem().small_moments + i), from + i);
    }
  }

  // Gradients of this thread's parameters, and the sum of their squares. conv_gradient(element)
  // returns the convolution's. The loops are not unrolled: the code of a step must fit the
  // instruction cache.
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

  // Applies one RMSprop step.
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

  // Reuses the location of its first partial sum, which no other thread reads.
  __device__ static float& gradient_of(int index) {
    return index < kPartials ? smem().partials()[index] : smem().conv_sums(0)[index - kPartials];
  }
};

}  // namespace tarl::fleet
