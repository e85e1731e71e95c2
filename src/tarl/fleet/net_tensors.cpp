// SPDX-License-Identifier: MIT
#include "tarl/fleet/net_tensors.h"

namespace tarl::fleet {

namespace {

// Calls visit(name, shape, at) for every tensor, where at(i) is the place of its i-th element.
template <class Visit>
void for_each_tensor(const NetPlan& net, Visit visit) {
  const int channels = net.channels;
  visit("conv.weight", std::vector<std::int64_t>{kMaps, channels, 3, 3}, [=](int i) {
    const int tap = i % 9, channel = i / 9 % channels, map = i / (9 * channels);
    return net.conv_weight + (tap * channels + channel) * kMaps + map;
  });
  visit("conv.bias", std::vector<std::int64_t>{kMaps}, [=](int i) { return net.conv_bias + i; });
  const auto visit_layer = [&](const std::string& name, const LayerPlan& layer, int first, int out,
                               bool after_conv) {
    visit(name + ".weight", std::vector<std::int64_t>{out, layer.in}, [=](int i) {
      const int r = i % layer.in, n = first + i / layer.in;
      // PyTorch flattens maps as (map, place), our rows are (place, map).
      const int k = after_conv ? r % kPositions * kMaps + r / kPositions : r;
      return layer.weight + k * layer.out + n;
    });
    visit(name + ".bias", std::vector<std::int64_t>{out},
          [=](int i) { return layer.bias + first + i; });
  };
  for (int l = 0; l + 1 < net.layers; ++l) {
    visit_layer("fc" + std::to_string(l + 1), net.layer[l], 0, net.layer[l].out, l == 0);
  }
  const LayerPlan& head = net.layer[net.layers - 1];
  if (net.dueling == 0) {
    visit_layer("out", head, 0, net.actions, net.layers == 1);
  } else {
    visit_layer("advantage", head, 0, net.actions, net.layers == 1);
    visit_layer("value", head, net.actions, 1, net.layers == 1);
  }
}

std::size_t count_of(const std::vector<std::int64_t>& shape) {
  std::int64_t count = 1;
  for (const std::int64_t side : shape) count *= side;
  return static_cast<std::size_t>(count);
}

}  // namespace

Tensors to_tensors(const NetPlan& net, std::span<const float> values, const std::string& prefix) {
  require(values.size() == static_cast<std::size_t>(net.size), "parameters of another network");
  Tensors out;
  for_each_tensor(net, [&](const std::string& name, std::vector<std::int64_t> shape, auto at) {
    std::vector<float> tensor(count_of(shape));
    for (std::size_t i = 0; i < tensor.size(); ++i) {
      tensor[i] = values[static_cast<std::size_t>(at(static_cast<int>(i)))];
    }
    out[prefix + name] = Tensor::of(std::span<const float>(tensor), std::move(shape));
  });
  return out;
}

std::vector<float> from_tensors(const NetPlan& net, const StateReader& in,
                                const std::string& prefix) {
  std::vector<float> values(static_cast<std::size_t>(net.size));
  for_each_tensor(net,
                  [&](const std::string& name, const std::vector<std::int64_t>& shape, auto at) {
                    std::vector<float> tensor(count_of(shape));
                    in.get(prefix + name, tensor);
                    for (std::size_t i = 0; i < tensor.size(); ++i) {
                      values[static_cast<std::size_t>(at(static_cast<int>(i)))] = tensor[i];
                    }
                  });
  return values;
}

}  // namespace tarl::fleet
