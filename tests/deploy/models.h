// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "tarl/core/formats/safetensors.h"

namespace tarl::deploy::test {

// Adds a layer to a model: weights 1, 2, 3, ... in eighths, biases likewise.
inline void add_layer(SafetensorsFile& model, const std::string& name,
                      std::vector<std::int64_t> shape) {
  std::size_t count = 1;
  for (const std::int64_t side : shape) count *= static_cast<std::size_t>(side);
  std::vector<float> numbers;
  for (std::size_t i = 0; i < count; ++i) numbers.push_back(0.125F * static_cast<float>(i + 1));
  const std::vector<float> bias(static_cast<std::size_t>(shape[0]), 0.5F);
  model.tensors[name + ".bias"] = Tensor::of(std::span<const float>(bias), {shape[0]});
  model.tensors[name + ".weight"] = Tensor::of(std::span<const float>(numbers), std::move(shape));
}

// A model file of DQN on vectors of two numbers, three actions, one hidden layer of that width.
inline SafetensorsFile dqn_model(std::int64_t width = 4) {
  SafetensorsFile model;
  model.metadata = {{"algo", "dqn"},           {"env", "here/there"},        {"steps", "600"},
                    {"observation", "floats"}, {"observation_shape", "[2]"}, {"actions", "3"}};
  add_layer(model, "q.fc1", {width, 2});
  add_layer(model, "q.out", {3, width});
  return model;
}

// Of SAC, two numbers to one action from -1 to 3.
inline SafetensorsFile sac_model() {
  SafetensorsFile model;
  model.metadata = {{"algo", "sac"},           {"env", "here/there"},        {"steps", "600"},
                    {"observation", "floats"}, {"observation_shape", "[2]"}, {"action_low", "[-1]"},
                    {"action_high", "[3]"}};
  add_layer(model, "actor.fc1", {4, 2});
  add_layer(model, "actor.mu", {1, 4});
  add_layer(model, "actor.log_std", {1, 4});
  return model;
}

// Of DQN on MinAtar's bits.
inline SafetensorsFile minatar_model() {
  SafetensorsFile model = dqn_model();
  model.metadata["observation"] = "bits";
  model.metadata["observation_shape"] = "[2, 10, 10]";
  add_layer(model, "q.conv", {3, 2, 3, 3});
  add_layer(model, "q.fc1", {4, 3 * 8 * 8});
  return model;
}

}  // namespace tarl::deploy::test
