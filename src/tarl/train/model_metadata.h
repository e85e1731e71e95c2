// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "tarl/train/config.h"

namespace tarl::train {

using ModelMetadata = std::map<std::string, std::string>;

// What a program needs besides the tensors to use a model file (docs/model.md): algorithm,
// environment, network, layout of the observations, bounds of the actions. Lists are JSON.
ModelMetadata model_metadata(const RunConfig& config, std::int64_t step);

// Reads from such metadata, without the environment, its name, observations and actions, and how
// observations are normalised. Throw Error that names `source` if they are invalid.
rl::EnvSpec spec_of_model(const ModelMetadata& metadata, const std::string& source);
NormalizeConfig normalization_of_model(const ModelMetadata& metadata, const std::string& source);

// The value of a key. Throws Error that names `source` if it is missing.
const std::string& model_value(const ModelMetadata& metadata, const std::string& key,
                               const std::string& source);

}  // namespace tarl::train
