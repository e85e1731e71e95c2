// SPDX-License-Identifier: MIT
#include "tarl/deploy/onnx.h"

#include <array>

#include "tarl/agents/policy_math.h"
#include "tarl/core/build_config.h"
#include "tarl/core/error.h"
#include "tarl/deploy/onnx_graph.h"
#include "tarl/nn/nature_encoder.h"

namespace tarl::deploy {

namespace {

using Type = OnnxGraph::Type;

// Metadata of the file, by the keys of the model file.
constexpr std::array kTold = {"algo",        "env",         "steps",
                              "mean_return", "observation", "observation_shape",
                              "actions",     "action_low",  "action_high"};
constexpr const char* kVersionKey = "tarl_version";

constexpr std::size_t kMostParameters = (1U << 29) - (1U << 20);  // messages are limited to 2 GiB

template <class T>
std::string number(OnnxGraph& graph, const std::string& name, T value) {
  return graph.constant(name, std::span<const T>(&value, 1), {});
}

std::string cast(OnnxGraph& graph, const std::string& x, Type type) {
  return graph.node("Cast", {x}, "", {{"to", {static_cast<std::int64_t>(type)}}});
}

std::string normalized(OnnxGraph& graph, const Normalization& with, const std::string& obs) {
  const auto row = [&](const std::string& name, const std::vector<double>& values) {
    return graph.constant(name, std::span<const double>(values),
                          {static_cast<std::int64_t>(values.size())});
  };
  std::string x = cast(graph, obs, Type::kDouble);
  x = graph.node("Sub", {x, row("normalize.mean", with.mean)});
  x = graph.node("Div", {x, row("normalize.deviation", with.deviation)});
  x = graph.node("Clip", {x, number(graph, "normalize.least", -with.limit),
                          number(graph, "normalize.most", with.limit)});
  return cast(graph, x, Type::kFloat);
}

std::string convolution(OnnxGraph& graph, const Convolution& layer, const std::string& x) {
  const std::int64_t kernel = layer.kernel, stride = layer.stride;
  const std::string weight = graph.constant(layer.name + ".weight", layer.weight,
                                            {layer.maps, layer.channels, kernel, kernel});
  const std::string bias = graph.constant(layer.name + ".bias", layer.bias, {layer.maps});
  const std::string y =
      graph.node("Conv", {x, weight, bias}, "", {{"strides", {stride, stride}, true}});
  return graph.node("Relu", {y});
}

std::string linear(OnnxGraph& graph, const Linear& layer, const std::string& x,
                   const std::string& name = "") {
  const std::string weight =
      graph.constant(layer.name + ".weight", layer.weight, {layer.out, layer.in});
  const std::string bias = graph.constant(layer.name + ".bias", layer.bias, {layer.out});
  return graph.node("Gemm", {x, weight, bias}, name, {{"transB", {1}}});
}

// What the first hidden layer reads: [batch, features].
std::string features(OnnxGraph& graph, const PolicyNetwork& net) {
  const rl::ObsSpec& obs = net.obs;
  if (obs.kind == rl::ObsKind::kFloats) {
    const std::string x = graph.input("obs", Type::kFloat, {obs.size()});
    return net.normalization ? normalized(graph, *net.normalization, x) : x;
  }
  std::string x;
  if (obs.kind == rl::ObsKind::kBits) {
    x = graph.input("obs", Type::kBool, {obs.height, obs.width, obs.channels});
    x = cast(graph, x, Type::kFloat);
    x = graph.node("Transpose", {x}, "", {{"perm", {0, 3, 1, 2}, true}});
  } else {
    x = graph.input("obs", Type::kUint8, {obs.channels, obs.height, obs.width});
    x = cast(graph, x, Type::kFloat);
    x = graph.node("Mul", {x, number(graph, "pixel_scale", nn::NatureEncoder::kPixelScale)});
  }
  for (const Convolution& layer : net.convolutions) x = convolution(graph, layer, x);
  return graph.node("Flatten", {x});
}

void values(OnnxGraph& graph, const PolicyNetwork& net, const std::string& x) {
  const std::string q = "q_values";
  if (!net.value) {
    linear(graph, net.out, x, q);
  } else {
    const std::string advantage = linear(graph, net.out, x);
    const std::string value = linear(graph, *net.value, x);
    const std::string mean =
        graph.node("ReduceMean", {advantage}, "", {{"axes", {1}, true}, {"keepdims", {1}}});
    graph.node("Add", {graph.node("Sub", {value, mean}), advantage}, q);
  }
  graph.node("ArgMax", {q}, "action",
             {{"axis", {1}}, {"keepdims", {0}}, {"select_last_index", {0}}});
  graph.output("action", Type::kInt64, {});
  graph.output(q, Type::kFloat, {net.out.out});
}

void actions(OnnxGraph& graph, const PolicyNetwork& net, const std::string& x) {
  const auto size = static_cast<std::size_t>(net.action.size);
  std::vector<float> half(size), middle(size);
  for (std::size_t k = 0; k < size; ++k) {
    half[k] = 0.5F * (net.action.high[k] - net.action.low[k]);
    middle[k] = net.action.low[k] + half[k];
  }
  const auto row = [&](const std::string& name, std::span<const float> numbers) {
    return graph.constant(name, numbers.first(size), {net.action.size});
  };
  linear(graph, net.out, x, "mean");
  std::string action = graph.node("Mul", {graph.node("Tanh", {"mean"}), row("half_range", half)});
  action = graph.node("Add", {action, row("middle", middle)});
  action = graph.node("Max", {action, row("low", net.action.low)});  // rounding may exceed it
  graph.node("Min", {action, row("high", net.action.high)}, "action");
  graph.output("action", Type::kFloat, {net.action.size});
  graph.output("mean", Type::kFloat, {net.action.size});
  if (!net.log_std) return;
  graph.node("Clip",
             {linear(graph, *net.log_std, x), number(graph, "least_log_std", agents::kLowestLogStd),
              number(graph, "most_log_std", agents::kHighestLogStd)},
             "log_std");
  graph.output("log_std", Type::kFloat, {net.action.size});
}

}  // namespace

std::string onnx_file(const PolicyNetwork& net) {
  if (net.parameters() > kMostParameters) {
    throw UsageError("the policy has " + std::to_string(net.parameters()) +
                     " parameters, more than an ONNX file holds (2 GiB)");
  }
  OnnxGraph graph;
  std::string x = features(graph, net);
  for (const Linear& layer : net.hidden) x = graph.node("Relu", {linear(graph, layer, x)});
  if (net.action.discrete()) {
    values(graph, net, x);
  } else {
    actions(graph, net, x);
  }
  std::map<std::string, std::string> metadata = {{kVersionKey, kVersion}};
  for (const char* key : kTold) {
    if (const auto known = net.metadata.find(key); known != net.metadata.end()) {
      metadata.insert(*known);
    }
  }
  return graph.file(metadata);
}

}  // namespace tarl::deploy
