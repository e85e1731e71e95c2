// SPDX-License-Identifier: MIT
#pragma once

#include "tarl/fleet/cuda/fp16_room.cuh"

// The parameters beside the big layer's weights: convolution, biases and head. They live in shared
// memory over a slice and move by the rule of the CPU, their moments lie in the device's memory.
namespace tarl::fleet {

template <bool kSmall, int kKept>
struct Fp16Small {
  __device__ static Fp16Room<kSmall, kKept>& room() { return fp16_memory<kSmall, kKept>().room; }

  __device__ static Shared& s() { return fp16_memory<kSmall, kKept>().shared; }

  __device__ static const AgentSpec& spec() { return s().spec; }

  __device__ static const NetPlan& net() { return s().spec.net; }

  __device__ static const AgentView& view() { return s().view; }

  // Of everything but the big layer; each block keeps its own.
  __device__ static float* moments() {
    const int rank = ptx::cluster_rank();
    return rank == 0 ? view().moment[0] : view().replicas + (rank - 1) * net().size;
  }

  __device__ static const LayerPlan& big() { return net().layer[0]; }

  __device__ static const LayerPlan& top() { return net().layer[1]; }

  __device__ static void load(const float* values, float (&head)[kMaxActions][kUnits],
                              float (&bias)[kUnits], float (&head_bias)[8],
                              uint4 (&conv)[ConvShape<kSmall>::kSteps][32]) {
    for (int i = thread_id(); i < kMaxActions * kUnits; i += kThreads) {
      const int a = i / kUnits, n = i % kUnits;
      head[a][n] = a < net().actions ? values[top().weight + n * net().actions + a] : 0.0F;
    }
    if (thread_id() < kUnits) bias[thread_id()] = values[big().bias + thread_id()];
    if (thread_id() < 8) {
      head_bias[thread_id()] =
          thread_id() < net().actions ? values[top().bias + thread_id()] : 0.0F;
    }
    for (int e = thread_id(); e < ConvShape<kSmall>::kElements; e += kThreads) {
      const int place = ConvElement<kSmall>(e).place(net());
      put_conv<kSmall>(reinterpret_cast<__half*>(conv), e, place >= 0 ? values[place] : 0.0F);
    }
    __syncthreads();
  }

  __device__ static void store(float* values) {
    for (int i = thread_id(); i < net().actions * kUnits; i += kThreads) {
      const int a = i / kUnits, n = i % kUnits;
      values[top().weight + n * net().actions + a] = room().head[a][n];
    }
    if (thread_id() < kUnits) values[big().bias + thread_id()] = room().bias[thread_id()];
    if (thread_id() < net().actions)
      values[top().bias + thread_id()] = room().head_bias[thread_id()];
  }

  __device__ static float partial_sum(int element) {
    const float* at = room().partials() + element;
    return at[0] + at[kPartials] + at[2 * kPartials] + at[3 * kPartials];
  }

  // This thread's gradients of the head, of the big layer's biases and of the head's biases, and
  // the sum of their squares.
  __device__ static double gradients(float (&gradient)[3]) {
    double square = 0;
#pragma unroll
    for (int i = 0; i < 2; ++i) {
      const int e = thread_id() + i * kThreads;
      gradient[i] = 0;
      if (e < kUnitPartials) gradient[i] = partial_sum(e);
      square += static_cast<double>(gradient[i]) * static_cast<double>(gradient[i]);
    }
    gradient[2] = thread_id() < net().actions ? partial_sum(kUnitPartials + thread_id()) : 0.0F;
    square += static_cast<double>(gradient[2]) * static_cast<double>(gradient[2]);
    return square;
  }

  // This thread's elements of the conv gradient.
  struct ConvShare {
    static constexpr int kOwned = (ConvShape<kSmall>::kElements + kThreads - 1) / kThreads;
    int place[kOwned];  // among all parameters, or -1
    float moment[kOwned], gradient[kOwned];
  };

  // Moments are asked for early: they are far away.
  __device__ static ConvShare conv_share() {
    ConvShare conv;
#pragma unroll
    for (int i = 0; i < ConvShare::kOwned; ++i) {
      const int e = thread_id() + i * kThreads;
      conv.place[i] = e < ConvShape<kSmall>::kElements ? ConvElement<kSmall>(e).place(net()) : -1;
      conv.moment[i] = conv.place[i] >= 0 ? moments()[conv.place[i]] : 0.0F;
      conv.gradient[i] = 0.0F;
    }
    return conv;
  }

  __device__ static void move_conv(ConvShare& conv, float clip) {
#pragma unroll
    for (int i = 0; i < ConvShare::kOwned; ++i) {
      if (conv.place[i] < 0) continue;
      float& value = room().conv_values[conv.place[i]];
      move_value(value, conv.moment[i], clip * conv.gradient[i]);
      moments()[conv.place[i]] = conv.moment[i];
      put_conv<kSmall>(reinterpret_cast<__half*>(room().conv), thread_id() + i * kThreads, value);
    }
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

  // Where this thread's i-th small parameter (as in gradients()) is among all, or -1.
  __device__ static int place_of(int i) {
    if (i == 2) return thread_id() < net().actions ? top().bias + thread_id() : -1;
    const int e = thread_id() + i * kThreads, a = e / kUnits, n = e % kUnits;
    if (a < net().actions) return top().weight + n * net().actions + a;
    return a == kMaxActions ? big().bias + n : -1;
  }

  __device__ static float& value_of(int i) {
    if (i == 2) return room().head_bias[thread_id()];
    const int e = thread_id() + i * kThreads, a = e / kUnits, n = e % kUnits;
    return a == kMaxActions ? room().bias[n] : room().head[a][n];
  }

  __device__ static void fetch_moments(float (&moment)[3]) {
#pragma unroll
    for (int i = 0; i < 3; ++i) {
      const int place = place_of(i);
      moment[i] = place >= 0 ? moments()[place] : 0.0F;
    }
  }

  __device__ static void move(const float (&gradient)[3], float (&moment)[3], float clip) {
#pragma unroll
    for (int i = 0; i < 3; ++i) {
      const int place = place_of(i);
      if (place < 0) continue;
      move_value(value_of(i), moment[i], clip * gradient[i]);
      moments()[place] = moment[i];
    }
  }
};

}  // namespace tarl::fleet
