// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <memory>
#include <vector>

#include "tarl/fleet/cuda/device_memory.cuh"
#include "tarl/fleet/cuda/waves/layer_products.h"
#include "tarl/fleet/cuda/waves/product_lists.cuh"
#include "tarl/fleet/pixel_dqn/cuda/view.cuh"

namespace tarl::fleet::pixel_dqn {

// The network's activations for a batch of observations.
struct NetRows {
  std::array<float*, 3> maps{};
  float *hidden = nullptr, *out = nullptr;
};

// The gradient at the outputs of a convolution. Each map is surrounded by as many zeros as windows
// extend beyond it, so that the gradient at the inputs is a convolution, too.
struct Delta {
  float* data = nullptr;
  float* sums = nullptr;  // over rows
  int pad = 0, height = 0, width = 0, maps = 0;

  int pixels() const { return height * width; }

  int row() const { return pixels() * maps; }

  int pixel(int y, int x) const { return (y + pad) * width + x + pad; }
};

// An agent's arrays in device memory, and the products of its updates.
class Arrays {
 public:
  // `act_outputs` is host memory that the device writes.
  Arrays(const AgentPlan& plan, float* act_outputs);

  // The parameters are in one of two places (sides), and an update writes them to the other. This
  // is the view in device memory while they are on `side`.
  const AgentView* device_view(int side) const { return device_view_ + side; }

  float* values(int side) const { return values_[static_cast<std::size_t>(side)]; }

  // The host's copy. Sizes do not depend on the side.
  const AgentView& view() const { return view_; }

  // Blocks needed by each phase.
  const int (&tiles() const)[kPhases] { return products_.front().tiles(); }

  // Floats from one row of outputs to the next.
  static int outputs_row(const AgentPlan& plan);

 private:
  // Offsets of a convolution: of windows in rows of inputs, in pixels, and of a window's inputs, in
  // floats.
  struct Windows {
    const std::int32_t *origins = nullptr, *inputs = nullptr;
    const std::int32_t* out_pixels = nullptr;    // in one row of the gradient
    const std::int32_t* out_rows = nullptr;      // in all kept rows of it
    const std::int32_t* kept_origins = nullptr;  // in kept rows of the inputs
  };

  void reserve();
  void plan_side(std::size_t side, float* act_outputs);
  void reserve_net(std::int64_t rows, NetRows& to);
  void reserve_deltas();
  const std::int32_t* table(const std::vector<std::int32_t>& values);
  const std::int32_t* kept_table(const std::vector<std::int32_t>& places, int pixels);
  void plan_windows();
  void plan_forward(const NetRows& to, const float* values, const float* x, int rows, Phase first);
  void plan_head();
  void plan_input_gradient(std::size_t conv, Phase phase);
  Product parity_class(std::size_t conv, int parity_y, int parity_x);
  void plan_weights();

  // On tensor cores, if the run is in fp16.
  Product rounded(const Product& product, Slopes slopes) const;
  Product in_parts(std::size_t conv, Product weights);
  int parts_of(std::size_t conv) const;
  float pixel_factor() const;  // of sums over pixels

  std::vector<Product>& of(Phase phase) { return planned_->of(phase); }

  std::int32_t* next_table(int numbers);

  const AgentPlan& plan_;
  DeviceMemory memory_;
  std::vector<std::unique_ptr<DeviceMemory>> tables_;
  AgentView view_;
  AgentView* device_view_ = nullptr;  // [side]
  std::array<float*, 2> values_{};
  float* one_ = nullptr;
  NetRows online_, target_, act_;
  std::array<Delta, 3> delta_;
  float* dhidden_ = nullptr;
  std::array<float*, kSplitConvs> parts_{};  // of the gradients of convolutions' weights
  std::array<Windows, 3> windows_;
  int kept_tables_ = 0;
  using Products = ProductLists<Phase, kPhases>;
  std::array<Products, 2> products_;
  Products* planned_ = nullptr;  // of the side being planned
};

}  // namespace tarl::fleet::pixel_dqn
