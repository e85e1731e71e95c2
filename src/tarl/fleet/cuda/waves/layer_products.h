// SPDX-License-Identifier: MIT
#pragma once

#include "tarl/fleet/cuda/waves/product.h"
#include "tarl/nn/parameters.h"

// The products of a linear layer, with the order of sums of nn/linear.h.
namespace tarl::fleet {

// A matrix in device memory, with an optional list of rows.
struct Matrix {
  const float* data = nullptr;
  int row = 0;  // floats from one row to the next
  const std::int32_t* rows = nullptr;
};

// y = x W + b for `rows` rows, with a ReLU on request.
Product forward_product(const nn::Linear& layer, const float* values, const Matrix& x, int rows,
                        bool relu, float* y, int y_row);

// The gradient at inputs [first, first + count), from the gradient at the outputs.
Product input_gradient(const nn::Linear& layer, const float* values, const Matrix& dy, int rows,
                       int first, int count, float* dx, int dx_row);

// The same product, set to zero where `gate` is not positive.
Product gated(Product product, const Matrix& gate);

// The gradients of a layer's weights and biases over `rows` rows. `one` is a 1 in device memory.
struct LayerGradients {
  Product weights, biases;
};

LayerGradients layer_gradients(const nn::Linear& layer, const Matrix& x, const Matrix& dy, int rows,
                               const float* one, float* grads, std::int32_t* bad);

// The same product on tensor cores. `largest` is the update's largest slope, if one of the operands
// is a gradient.
Product on_tensor_cores(Product product, Slopes slopes, const float* largest);

}  // namespace tarl::fleet
