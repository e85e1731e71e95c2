// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tarl/core/rng.h"
#include "tarl/core/state.h"
#include "tarl/nn/arena.h"

namespace tarl::nn {

// Where a layer's weights lie within a parameter array: weight (k, n) of input k and output n at
// weight + k * stride + n, bias n at bias + n. A layer with a single output has stride 1, with
// contiguous weights; others are zero-padded as their ParameterLayout requires.
struct Linear {
  int in = 0;
  int out = 0;
  int stride = 0;
  std::size_t weight = 0;
  std::size_t bias = 0;
};

// A named part of a layer's outputs.
struct Head {
  std::string name;
  int out = 0;
};

// One tensor under its public name. Element (o, r) in PyTorch's order (output o, flat input r) lies
// at offset + row_of(r) * stride + o.
struct NamedTensor {
  std::string name;
  std::vector<std::int64_t> shape;  // PyTorch's: [out, in], [out, in, height, width], [out]
  std::size_t offset = 0;
  int stride = 0;
  int in = 1;
  int out = 0;
  std::vector<int> row_of;  // our row for each of PyTorch's inputs; empty: identity
  int fan_in = 1;

  std::size_t at(int o, int r) const {
    const int row = row_of.empty() ? r : row_of[static_cast<std::size_t>(r)];
    return offset + static_cast<std::size_t>(row) * static_cast<std::size_t>(stride) +
           static_cast<std::size_t>(o);
  }
};

// The granularity of row lengths and tensor offsets.
enum class Padding {
  kVectors,  // whole vectors, as the CPU kernels require
  kNone,
};

// The plan of a parameter set: its tensors and their offsets. Online and target networks, gradients
// and optimiser state are arrays of the same plan.
class ParameterLayout {
 public:
  explicit ParameterLayout(Padding padding = Padding::kVectors) : padding_(padding) {}

  // <name>.weight and <name>.bias. `row_of` maps PyTorch's inputs to ours, as in NamedTensor.
  Linear add_linear(const std::string& name, int in, int out, std::vector<int> row_of = {});

  // One layer whose outputs are several named heads, in that order, computed together.
  Linear add_heads(const std::vector<Head>& heads, int in);

  // A convolution as a matrix; PyTorch's weight is [out, channels, kernel_height, kernel_width].
  // Inputs are ordered (kernel row, kernel column, channel), or as `row_of` says.
  Linear add_conv(const std::string& name, int channels, int out, int kernel_height,
                  int kernel_width, std::vector<int> row_of = {});

  // A plain vector, such as log_alpha; returns its offset. initialise() does not touch it.
  std::size_t add_vector(const std::string& name, std::vector<std::int64_t> shape);

  std::size_t size() const { return size_; }  // floats per array, including padding

  const std::vector<NamedTensor>& tensors() const { return tensors_; }

 private:
  std::size_t reserve(std::size_t floats);
  Linear add_matrix(int in, int out);
  void name_columns(const Linear& layer, const Head& head, int first, NamedTensor weight);

  Padding padding_;
  std::vector<NamedTensor> tensors_;
  std::size_t size_ = 0;
};

// PyTorch flattens images as (map, row, column); our rows are (row, column, map). The order for
// add_linear of the layer that follows the last convolution.
std::vector<int> flattened_image_order(int maps, int height, int width);

// Values of one plan, with gradients and optimiser state if trained. Arrays are flat and contiguous
// over all tensors, so that optimisers, norms and averages are single passes.
class Parameters {
 public:
  // `states` is the number of optimiser arrays. A frozen set (a target network) has neither
  // gradients nor states.
  static Parameters trained(const ParameterLayout& layout, int states, Arena& arena);
  static Parameters frozen(const ParameterLayout& layout, Arena& arena);

  std::size_t size() const { return layout_.size(); }

  const ParameterLayout& layout() const { return layout_; }

  float* values() { return values_; }

  const float* values() const { return values_; }

  float* grads() { return grads_; }

  const float* grads() const { return grads_; }

  float* state(int i) { return states_.at(static_cast<std::size_t>(i)); }

  const float* state(int i) const { return states_.at(static_cast<std::size_t>(i)); }

  // PyTorch's default initialisation: weights and biases uniform in +-1/sqrt(fan_in). Tensors in
  // the order they were added, each in PyTorch's element order, one uniform() per value.
  void initialise(Rng& rng);

 private:
  explicit Parameters(ParameterLayout layout) : layout_(std::move(layout)) {}

  ParameterLayout layout_;
  float* values_ = nullptr;
  float* grads_ = nullptr;
  std::vector<float*> states_;
};

// Converts `array` (values, gradients or a state of the layout) to tensors <prefix><name> in
// PyTorch's layout, and back. Importing checks names and sizes (Error) and does not touch padding.
void export_tensors(const ParameterLayout& layout, const float* array, const std::string& prefix,
                    Tensors& out);
void import_tensors(const ParameterLayout& layout, const StateReader& in, const std::string& prefix,
                    float* array);

}  // namespace tarl::nn
