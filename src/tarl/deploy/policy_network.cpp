// SPDX-License-Identifier: MIT
#include "tarl/deploy/policy_network.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "tarl/agents/registry.h"
#include "tarl/core/error.h"
#include "tarl/core/formats/number.h"
#include "tarl/nn/nature_encoder.h"

namespace tarl::deploy {

namespace {

std::string shape_text(const std::vector<std::int64_t>& shape) {
  std::string out;
  for (const std::int64_t side : shape) out += (out.empty() ? "" : ", ") + std::to_string(side);
  return "[" + out + "]";
}

// Reads the layers of one network from the tensors whose names begin with `prefix`.
class LayerReader {
 public:
  LayerReader(const Tensors& tensors, std::string prefix, const std::string& source)
      : tensors_(tensors), prefix_(std::move(prefix)), source_(source) {}

  bool has(const std::string& name) const { return tensors_.contains(prefix_ + name + ".weight"); }

  // With that many outputs, or with any number.
  Linear linear(const std::string& name, int in, std::optional<int> out = {}) const {
    Linear layer{.name = prefix_ + name, .in = in};
    layer.out = out ? *out : width_of(layer.name);
    layer.weight = floats(layer.name + ".weight", {layer.out, in});
    layer.bias = floats(layer.name + ".bias", {layer.out});
    return layer;
  }

  Convolution convolution(const std::string& name, Convolution layer) const {
    layer.name = prefix_ + name;
    layer.maps = width_of(layer.name);
    const auto& shape = tensor(layer.name + ".weight").shape;
    const std::int64_t side = shape.back();
    if (side < 1 || side > layer.height || side > layer.width) refuse(layer.name + ".weight");
    layer.kernel = static_cast<int>(side);
    const auto outputs = static_cast<double>(layer.maps) * layer.out_height() * layer.out_width();
    if (outputs > kMostOutputs) refuse(layer.name + ".weight");
    layer.weight =
        floats(layer.name + ".weight", {layer.maps, layer.channels, layer.kernel, layer.kernel});
    layer.bias = floats(layer.name + ".bias", {layer.maps});
    return layer;
  }

  std::span<const double> doubles(const std::string& name, int count) const {
    const Tensor& found = tensor(name);
    if (found.dtype != Dtype::kF64 || found.shape != std::vector<std::int64_t>{count}) {
      refuse(name, std::vector<std::int64_t>{count});
    }
    check_finite(name, found.as<double>());
    return found.as<double>();
  }

 private:
  static constexpr std::int64_t kMostOutputs = 1 << 24;

  const Tensor& tensor(const std::string& name) const {
    const auto found = tensors_.find(name);
    if (found != tensors_.end()) return found->second;
    throw Error(source_ + " has no tensor " + name + ": it is damaged, or its metadata are");
  }

  int width_of(const std::string& layer) const {
    const auto& shape = tensor(layer + ".weight").shape;
    if (shape.empty() || shape[0] < 1 || shape[0] > kMostOutputs) refuse(layer + ".weight");
    return static_cast<int>(shape[0]);
  }

  std::span<const float> floats(const std::string& name,
                                const std::vector<std::int64_t>& shape) const {
    const Tensor& found = tensor(name);
    if (found.dtype != Dtype::kF32 || found.shape != shape) refuse(name, shape);
    check_finite(name, found.as<float>());
    return found.as<float>();
  }

  template <class T>
  void check_finite(const std::string& name, std::span<const T> values) const {
    if (std::all_of(values.begin(), values.end(), [](T value) { return std::isfinite(value); })) {
      return;
    }
    throw Error(source_ + ": tensor " + name + " holds a value that is not finite");
  }

  [[noreturn]] void refuse(const std::string& name,
                           const std::optional<std::vector<std::int64_t>>& wanted = {}) const {
    const Tensor& found = tensor(name);
    throw Error(source_ + ": tensor " + name + " is " + dtype_name(found.dtype) + " " +
                shape_text(found.shape) +
                (wanted ? " and should be " + shape_text(*wanted) : ", which is no layer's") +
                ": the file is damaged, or its metadata are");
  }

  const Tensors& tensors_;
  std::string prefix_;
  const std::string& source_;
};

agents::PolicyTensors policy_tensors(const std::string& algo, const std::string& source) {
  const agents::Entry* entry = agents::registry().look_up(algo);
  if (entry != nullptr && entry->policy_tensors != agents::PolicyTensors::kOwn) {
    return entry->policy_tensors;
  }
  const std::string why = entry == nullptr
                              ? "is not known here; load the plugin it comes from"
                              : "keeps its policy in tensors of its own; set policy_tensors in its "
                                "entry where they are DQN's or SAC's (docs/adding-an-agent.md)";
  throw UsageError(source + " cannot be exported: the agent '" + algo + "' " + why +
                   ", or read the file yourself (docs/model.md)");
}

std::int64_t steps_in(const train::ModelMetadata& metadata, const std::string& source) {
  const std::string& text = train::model_value(metadata, "steps", source);
  const double steps = parse_number(text, -1);
  if (steps >= 0 && steps < 1e15) return static_cast<std::int64_t>(steps);
  throw Error(source + ": steps = '" + text + "' of its metadata makes no sense");
}

// The convolutions for images of that kind, by the names and strides of nn/.
std::vector<Convolution> convolutions_in(const LayerReader& layers, const rl::ObsSpec& obs) {
  std::vector<Convolution> out;
  const auto add = [&](const std::string& name, int stride) {
    Convolution next{.channels = obs.channels, .height = obs.height, .width = obs.width};
    if (!out.empty()) {
      const Convolution& last = out.back();
      next = {.channels = last.maps, .height = last.out_height(), .width = last.out_width()};
    }
    next.stride = stride;
    out.push_back(layers.convolution(name, next));
  };
  if (obs.kind == rl::ObsKind::kBits) add("conv", 1);
  if (obs.kind == rl::ObsKind::kBytes) {
    int number = 0;
    for (const int stride : nn::NatureEncoder::kStrides) {
      add("conv" + std::to_string(++number), stride);
    }
  }
  return out;
}

std::optional<Normalization> normalization_in(const LayerReader& layers, const PolicyNetwork& net,
                                              const std::string& source) {
  const train::NormalizeConfig config = train::normalization_of_model(net.metadata, source);
  if (!config.obs) return std::nullopt;
  const auto mean = layers.doubles("normalize.obs_mean", net.obs.size());
  Normalization out{{mean.begin(), mean.end()}, {}, config.clip_obs};
  for (const double var : layers.doubles("normalize.obs_var", net.obs.size())) {
    if (var < 0) throw Error(source + ": normalize.obs_var holds a negative variance");
    out.deviation.push_back(std::sqrt(var + config.epsilon));
  }
  return out;
}

void read_layers(PolicyNetwork& net, const LayerReader& layers) {
  net.convolutions = convolutions_in(layers, net.obs);
  int width = net.convolutions.empty() ? net.obs.size() : net.convolutions.back().out_size();
  std::string name = "fc1";
  while (layers.has(name)) {
    net.hidden.push_back(layers.linear(name, width));
    width = net.hidden.back().out;
    name = "fc" + std::to_string(net.hidden.size() + 1);
  }
  if (!net.action.discrete()) {
    net.out = layers.linear("mu", width, net.action.size);
    if (layers.has("log_std")) net.log_std = layers.linear("log_std", width, net.action.size);
  } else if (layers.has("advantage")) {
    net.out = layers.linear("advantage", width, net.action.count);
    net.value = layers.linear("value", width, 1);
  } else {
    net.out = layers.linear("out", width, net.action.count);
  }
}

}  // namespace

std::size_t PolicyNetwork::parameters() const {
  std::size_t sum = 0;
  const auto add = [&](const auto& layer) { sum += layer.weight.size() + layer.bias.size(); };
  for (const Convolution& layer : convolutions) add(layer);
  for (const Linear& layer : hidden) add(layer);
  add(out);
  if (value) add(*value);
  if (log_std) add(*log_std);
  return sum;
}

PolicyNetwork read_policy(SafetensorsFile file, const std::string& source) {
  PolicyNetwork net;
  net.tensors = std::move(file.tensors);
  net.metadata = std::move(file.metadata);
  const auto tensors = policy_tensors(train::model_value(net.metadata, "algo", source), source);
  net.steps = steps_in(net.metadata, source);
  const rl::EnvSpec spec = train::spec_of_model(net.metadata, source);
  net.obs = spec.obs;
  net.action = spec.action;
  const bool values = tensors == agents::PolicyTensors::kQ;
  const bool vectors = net.obs.kind == rl::ObsKind::kFloats;
  if (values != net.action.discrete() || (!values && !vectors)) {
    throw Error(source + ": the agent '" + net.metadata.at("algo") + "' has no network for " +
                (vectors ? "such actions" : "images") + ": its metadata are damaged");
  }
  net.normalization = normalization_in(LayerReader(net.tensors, "", source), net, source);
  read_layers(net, LayerReader(net.tensors, values ? "q." : "actor.", source));
  return net;
}

PolicyNetwork load_policy(const fs::path& where, const train::PolicyChoice& choice,
                          const std::function<void(const std::string&)>& notice) {
  if (!fs::exists(where)) throw Error("there is no run and no model file " + where.string());
  const bool is_file = fs::is_regular_file(where);
  if (is_file && choice.source != train::PolicySource::kNewest) {
    throw UsageError(where.string() + " is a model file: there is nothing to choose from in it");
  }
  if (const auto model = is_file ? std::optional(where) : train::model_file(where, choice)) {
    return read_policy(load_safetensors(*model), model->string());
  }
  train::Policy policy(where, notice, choice);
  return read_policy({policy.agent().parameters(),
                      train::model_metadata(policy.config(), policy.checkpoint_step().value())},
                     where.string());
}

}  // namespace tarl::deploy
