// SPDX-License-Identifier: MIT
#include "tarl/fleet/cuda/waves/layer_products.h"

namespace tarl::fleet {

Product forward_product(const nn::Linear& layer, const float* values, const Matrix& x, int rows,
                        bool relu, float* y, int y_row) {
  Product p;
  p.a = x.data;
  p.a_row = x.row;
  p.a_rows = x.rows;
  p.b = values + layer.weight;
  p.b_depth = layer.stride;
  p.bias = values + layer.bias;
  p.c = y;
  p.c_row = y_row;
  p.rows = rows;
  p.columns = layer.out;
  p.depth = layer.in;
  p.finish = relu ? Finish::kRelu : Finish::kStore;
  p.dots = layer.out == 1;
  return p;
}

Product input_gradient(const nn::Linear& layer, const float* values, const Matrix& dy, int rows,
                       int first, int count, float* dx, int dx_row) {
  Product p;
  p.a = dy.data;
  p.a_row = dy.row;
  p.a_rows = dy.rows;
  p.b = values + layer.weight + static_cast<std::size_t>(first) * layer.stride;
  p.b_depth = 1;
  p.b_column = layer.stride;
  p.c = dx;
  p.c_row = dx_row;
  p.rows = rows;
  p.columns = count;
  p.depth = layer.out;
  return p;
}

Product gated(Product product, const Matrix& gate) {
  product.finish = Finish::kGate;
  product.gate = gate.data;
  product.gate_row = gate.row;
  product.gate_rows = gate.rows;
  return product;
}

LayerGradients layer_gradients(const nn::Linear& layer, const Matrix& x, const Matrix& dy, int rows,
                               const float* one, float* grads, std::int32_t* bad) {
  Product weights;
  weights.a = x.data;
  weights.a_row = 1;
  weights.a_depth = x.row;
  weights.a_depths = x.rows;
  weights.b = dy.data;
  weights.b_depth = dy.row;
  weights.b_depths = dy.rows;
  weights.c = grads + layer.weight;
  weights.c_row = layer.stride;
  weights.rows = layer.in;
  weights.columns = layer.out;
  weights.depth = rows;
  weights.bad = bad;
  Product biases = weights;
  biases.a = one;
  biases.a_row = biases.a_depth = 0;
  biases.a_depths = nullptr;
  biases.c = grads + layer.bias;
  biases.rows = 1;
  return {weights, biases};
}

Product on_tensor_cores(Product product, Slopes slopes, const float* largest) {
  product.halves = true;
  product.slopes = slopes;
  product.largest_slope = largest;
  return product;
}

}  // namespace tarl::fleet
