// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "tarl/core/files.h"
#include "tarl/core/formats/safetensors.h"
#include "tarl/rl/spec.h"
#include "tarl/train/policy.h"

namespace tarl::deploy {

// y = weight x + bias, weight [out][in].
struct Linear {
  std::string name;  // of its tensors: "q.fc1"
  int in = 0;
  int out = 0;
  std::span<const float> weight, bias;
};

// A convolution without padding over [channels][height][width], followed by a ReLU; weight
// [maps][channels][kernel][kernel].
struct Convolution {
  std::string name;
  int channels = 0;
  int height = 0;
  int width = 0;
  int maps = 0;
  int kernel = 0;
  int stride = 1;
  std::span<const float> weight, bias;

  int out_height() const { return (height - kernel) / stride + 1; }

  int out_width() const { return (width - kernel) / stride + 1; }

  int out_size() const { return maps * out_height() * out_width(); }
};

// x = clip((obs - mean) / deviation) to [-limit, limit], in doubles.
struct Normalization {
  std::vector<double> mean, deviation;
  double limit = 0;
};

// The computation of a policy, from a model file: normalisation or convolutions, hidden layers with
// ReLUs, heads.
struct PolicyNetwork {
  train::ModelMetadata metadata;
  std::int64_t steps = 0;  // of the environment, in training
  rl::ObsSpec obs;
  rl::ActionSpec action;
  std::optional<Normalization> normalization;
  std::vector<Convolution> convolutions;
  std::vector<Linear> hidden;
  Linear out;                     // values, advantages, or means before tanh
  std::optional<Linear> value;    // of a dueling network
  std::optional<Linear> log_std;  // of a policy that samples

  PolicyNetwork() = default;
  PolicyNetwork(PolicyNetwork&&) = default;
  PolicyNetwork& operator=(PolicyNetwork&&) = default;

  std::size_t parameters() const;

  Tensors tensors;  // storage for the layers' spans
};

// Throws Error that names `source` if the file lacks tensors or metadata of docs/model.md, and
// UsageError if they belong to an agent that nobody else can read.
PolicyNetwork read_policy(SafetensorsFile file, const std::string& source);

// The policy of a model file, or of the chosen agent of a run folder; `notice` as in train::Policy.
// For a model file no environment is created.
PolicyNetwork load_policy(const fs::path& where, const train::PolicyChoice& choice = {},
                          const std::function<void(const std::string&)>& notice = {});

}  // namespace tarl::deploy
