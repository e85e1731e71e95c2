// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <vector>

#include "tarl/fleet/actor_critic/cuda/view.cuh"
#include "tarl/fleet/cuda/device_memory.cuh"
#include "tarl/fleet/cuda/waves/layer_products.h"
#include "tarl/fleet/cuda/waves/product_lists.cuh"

namespace tarl::fleet::actor_critic {

// One network's activations for a batch of rows.
struct NetRows {
  float *hidden1 = nullptr, *hidden2 = nullptr, *out = nullptr;
  int out_stride = 1;
};

// An agent's arrays in device memory, and the products of its updates.
class Arrays {
 public:
  // `act_obs` and `act_heads` are host memory that the device reads and writes.
  Arrays(const AgentPlan& plan, const float* act_obs, float* act_heads);

  // In device memory; view() is the host's copy.
  const AgentView* device_view() const { return device_view_; }

  const AgentView& view() const { return view_; }

  // Blocks needed by each phase.
  const int (&tiles() const)[kPhases] { return products_.tiles(); }

  // Floats from one row of act_heads to the next.
  static int heads_stride(const AgentPlan& plan);

  void set_given_noise(bool given);

 private:
  enum Pass { kOfBatch, kTargetNext, kOnlineNext, kPasses };

  void reserve();
  void reserve_net(const nn::Mlp& net, int rows, NetRows& to);
  void reserve_trained(const NetsPlan& plan, TrainedView& to);
  void plan_products(const float* act_obs, float* act_heads);
  void plan_assessment();
  void plan_critics_step();
  void plan_policy();
  void plan_actor_step();

  // Layer `l` of a network, forward into `to`; x is the network's input.
  Product layer(const nn::Mlp& net, int l, const float* values, const Matrix& x, const NetRows& to,
                int rows) const;
  // The gradient at a layer's inputs, from the gradient at its outputs, for the kept rows.
  // `largest` is the largest slope, as in Product.
  Product backward(const nn::Mlp& net, int l, const float* values, const Matrix& dy, float* dx,
                   int dx_stride, const float* largest) const;
  void add_gradients(Phase phase, const nn::Mlp& net, int l, const Matrix& x, const Matrix& dy,
                     const TrainedView& trained, std::int32_t* bad);
  // Puts products of hidden layers on tensor cores if the run is in fp16.
  Product of_layer(int l, const Product& product, Slopes slopes, const float* largest) const;

  std::vector<Product>& of(Phase phase) { return products_.of(phase); }

  const AgentPlan& plan_;
  DeviceMemory memory_;
  AgentView view_;
  AgentView* device_view_ = nullptr;
  float* constants_ = nullptr;  // 1, and the slope of the actor's loss in each Q
  NetRows actor_, act_;
  std::vector<std::array<NetRows, kPasses>> critic_;  // [critic]
  std::vector<NetRows> delta_;                        // [critic]; the actor uses the first
  ProductLists<Phase, kPhases> products_;
};

}  // namespace tarl::fleet::actor_critic
