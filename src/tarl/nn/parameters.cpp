// SPDX-License-Identifier: MIT
#include "tarl/nn/parameters.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "tarl/core/error.h"
#include "tarl/nn/kernels/kernels.h"

namespace tarl::nn {

std::size_t ParameterLayout::reserve(std::size_t floats) {
  const std::size_t offset = size_;
  size_ += padding_ == Padding::kNone ? floats : (floats + kLanes - 1) / kLanes * kLanes;
  return offset;
}

Linear ParameterLayout::add_matrix(int in, int out) {
  require(in > 0 && out > 0, "a layer needs inputs and outputs");
  const bool packed = out == 1 || padding_ == Padding::kNone;
  Linear layer{in, out, packed ? out : row_stride(out), 0, 0};
  layer.weight = reserve(static_cast<std::size_t>(in) * static_cast<std::size_t>(layer.stride));
  layer.bias = reserve(static_cast<std::size_t>(out));
  return layer;
}

void ParameterLayout::name_columns(const Linear& layer, const Head& head, int first,
                                   NamedTensor weight) {
  NamedTensor bias{head.name + ".bias",
                   {head.out},
                   layer.bias + static_cast<std::size_t>(first),
                   0,
                   1,
                   head.out,
                   {},
                   layer.in};
  weight.name = head.name + ".weight";
  weight.offset = layer.weight + static_cast<std::size_t>(first);
  weight.stride = layer.stride;
  weight.in = layer.in;
  weight.out = head.out;
  weight.fan_in = layer.in;
  tensors_.push_back(std::move(weight));
  tensors_.push_back(std::move(bias));
}

Linear ParameterLayout::add_linear(const std::string& name, int in, int out,
                                   std::vector<int> row_of) {
  require(row_of.empty() || static_cast<int>(row_of.size()) == in, "one row for each input");
  const Linear layer = add_matrix(in, out);
  NamedTensor weight;
  weight.shape = {out, in};
  weight.row_of = std::move(row_of);
  name_columns(layer, {name, out}, 0, std::move(weight));
  return layer;
}

Linear ParameterLayout::add_heads(const std::vector<Head>& heads, int in) {
  int out = 0;
  for (const Head& head : heads) out += head.out;
  const Linear layer = add_matrix(in, out);
  int first = 0;
  for (const Head& head : heads) {
    NamedTensor weight;
    weight.shape = {head.out, in};
    name_columns(layer, head, first, std::move(weight));
    first += head.out;
  }
  return layer;
}

Linear ParameterLayout::add_conv(const std::string& name, int channels, int out, int kernel_height,
                                 int kernel_width, std::vector<int> row_of) {
  const Linear layer = add_matrix(channels * kernel_height * kernel_width, out);
  NamedTensor weight;
  weight.shape = {out, channels, kernel_height, kernel_width};
  weight.row_of = row_of.empty() ? flattened_image_order(channels, kernel_height, kernel_width)
                                 : std::move(row_of);
  name_columns(layer, {name, out}, 0, std::move(weight));
  return layer;
}

std::size_t ParameterLayout::add_vector(const std::string& name, std::vector<std::int64_t> shape) {
  std::int64_t count = 1;
  for (const std::int64_t side : shape) count *= side;
  NamedTensor tensor;
  tensor.name = name;
  tensor.shape = std::move(shape);
  tensor.offset = reserve(static_cast<std::size_t>(count));
  tensor.out = static_cast<int>(count);
  tensor.fan_in = 0;
  tensors_.push_back(tensor);
  return tensor.offset;
}

std::vector<int> flattened_image_order(int maps, int height, int width) {
  std::vector<int> row_of;
  const int pixels = height * width;
  row_of.reserve(static_cast<std::size_t>(maps) * static_cast<std::size_t>(pixels));
  for (int map = 0; map < maps; ++map) {
    for (int pixel = 0; pixel < pixels; ++pixel) row_of.push_back(pixel * maps + map);
  }
  return row_of;
}

Parameters Parameters::trained(const ParameterLayout& layout, int states, Arena& arena) {
  Parameters parameters = frozen(layout, arena);
  parameters.grads_ = arena.take(layout.size());
  for (int i = 0; i < states; ++i) parameters.states_.push_back(arena.take(layout.size()));
  return parameters;
}

Parameters Parameters::frozen(const ParameterLayout& layout, Arena& arena) {
  Parameters parameters(layout);
  // Shares of the array are counted in ints.
  if (layout.size() > std::numeric_limits<int>::max() && !arena.only_counts()) {
    throw UsageError("a network of " + std::to_string(layout.size()) +
                     " parameters is too large; use a smaller policy.net_arch");
  }
  parameters.values_ = arena.take(layout.size());
  return parameters;
}

void Parameters::initialise(Rng& rng) {
  for (const NamedTensor& tensor : layout_.tensors()) {
    if (tensor.fan_in == 0) continue;
    const double bound = 1.0 / std::sqrt(static_cast<double>(tensor.fan_in));
    for (int o = 0; o < tensor.out; ++o) {
      for (int r = 0; r < tensor.in; ++r) {
        values_[tensor.at(o, r)] = static_cast<float>((2.0 * rng.uniform() - 1.0) * bound);
      }
    }
  }
}

void export_tensors(const ParameterLayout& layout, const float* array, const std::string& prefix,
                    Tensors& out) {
  for (const NamedTensor& tensor : layout.tensors()) {
    std::vector<float> values;
    values.reserve(static_cast<std::size_t>(tensor.out) * static_cast<std::size_t>(tensor.in));
    for (int o = 0; o < tensor.out; ++o) {
      for (int r = 0; r < tensor.in; ++r) values.push_back(array[tensor.at(o, r)]);
    }
    out[prefix + tensor.name] = Tensor::of(std::span<const float>(values), tensor.shape);
  }
}

void import_tensors(const ParameterLayout& layout, const StateReader& in, const std::string& prefix,
                    float* array) {
  for (const NamedTensor& tensor : layout.tensors()) {
    std::vector<float> values(static_cast<std::size_t>(tensor.out) *
                              static_cast<std::size_t>(tensor.in));
    in.get(prefix + tensor.name, values);
    // A ReLU can mask a non-finite parameter, so that the loss would never reveal it.
    if (!std::all_of(values.begin(), values.end(), [](float x) { return std::isfinite(x); })) {
      throw NonFiniteError("'" + prefix + tensor.name + "' holds a value that is not finite");
    }
    std::size_t next = 0;
    for (int o = 0; o < tensor.out; ++o) {
      for (int r = 0; r < tensor.in; ++r) array[tensor.at(o, r)] = values[next++];
    }
  }
}

}  // namespace tarl::nn
