// SPDX-License-Identifier: MIT
#pragma once

#include "tarl/fleet/cuda/fp16_room.cuh"

// The parameters beside the big layer's weights: convolution, biases and head. They live in shared
// memory over a slice and move by the rule of the CPU. Their moments lie in the device's memory, in
// the order in which threads move them: SmallValues, then elements of the convolution.
namespace tarl::fleet {

template <bool kSmall, int kKept>
struct Fp16Small {
  static constexpr int kElements = ConvShape<kSmall>::kElements;

  __device__ static Fp16Room<kSmall, kKept>& room() { return fp16_memory<kSmall, kKept>().room; }

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
      room().online.flat[i] = value_at(view().values, i);
      room().target.flat[i] = value_at(view().target, i);
    }
    for (int e = thread_id(); e < kElements; e += kThreads) {
      room().conv_values[e] = value_at(view().values, kPartials + e);
      put_conv<kSmall>(room().conv, e, room().conv_values[e]);
      put_conv<kSmall>(room().conv_target, e, value_at(view().target, kPartials + e));
    }
    for (int i = thread_id(); i < kPartials + kElements; i += kThreads) {
      moments()[i] = value_at(view().moment[0], i);
    }
  }

  // Writes the online network to where all parameters of a network are.
  __device__ static void store(float* all) {
    for (int i = thread_id(); i < kPartials + kElements; i += kThreads) {
      const int place = place_of(i);
      if (place < 0) continue;
      all[place] = i < kPartials ? room().online.flat[i] : room().conv_values[i - kPartials];
    }
  }

  // When a slice ends.
  __device__ static void store() {
    store(view().values);
    for (int i = thread_id(); i < kPartials + kElements; i += kThreads) {
      const int place = place_of(i);
      if (place >= 0) view().moment[0][place] = moments()[i];
    }
  }

  // What a thread moves.
  struct Share {
    static constexpr int kFlat = (kPartials + kThreads - 1) / kThreads;
    static constexpr int kConv = (kElements + kThreads - 1) / kThreads;
    float moment[kFlat + kConv], gradient[kFlat + kConv];

    // Calls visit(i, number, of the convolution) for each.
    template <class Visit>
    __device__ static void each(Visit visit) {
#pragma unroll
      for (int i = 0; i < kFlat; ++i) {
        const int index = thread_id() + i * kThreads;
        if (index < kPartials) visit(i, index, false);
      }
#pragma unroll
      for (int i = 0; i < kConv; ++i) {
        const int element = thread_id() + i * kThreads;
        if (element < kElements) visit(kFlat + i, element, true);
      }
    }
  };

  // Asked for early: they are far away.
  __device__ static void fetch_moments(Share& share) {
    const float* from = moments();
    Share::each([&](int i, int number, bool conv) {
      share.moment[i] = from[conv ? kPartials + number : number];
    });
  }

  // Returns the thread's sum of squares. `conv_gradient` tells an element's.
  template <class ConvGradient>
  __device__ static double gradients(Share& share, ConvGradient conv_gradient) {
    double square = 0;
    Share::each([&](int i, int number, bool conv) {
      share.gradient[i] = conv ? conv_gradient(number) : partial_sum(number);
      square += static_cast<double>(share.gradient[i]) * static_cast<double>(share.gradient[i]);
    });
    return square;
  }

  __device__ static void move(Share& share, float clip) {
    float* to = moments();
    Share::each([&](int i, int number, bool conv) {
      float& value = conv ? room().conv_values[number] : room().online.flat[number];
      move_value(value, share.moment[i], clip * share.gradient[i]);
      to[conv ? kPartials + number : number] = share.moment[i];
      if (conv) put_conv<kSmall>(room().conv, number, value);
    });
  }

 private:
  __device__ static float partial_sum(int index) {
    const float* at = room().partials() + index;
    return at[0] + at[kPartials] + at[2 * kPartials] + at[3 * kPartials];
  }

  // RMSprop of one small parameter. Called where it is used instead of inlined: a step's
  // instructions must fit the cache they are read from.
  __device__ static __noinline__ float moved(float value, float moment, float g) {
    const OptimizerPlan& plan = spec().optimizer;
    return fmaf(-plan.rate, g / (sqrtf(moment) + plan.eps), value);
  }

  __device__ static void move_value(float& value, float& moment, float g) {
    const OptimizerPlan& plan = spec().optimizer;
    moment = fmaf(plan.alpha, moment, plan.one_minus_alpha * (g * g));
    value = moved(value, moment, g);
  }
};

}  // namespace tarl::fleet
