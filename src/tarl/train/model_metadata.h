// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "tarl/train/config.h"

namespace tarl::train {

using ModelMetadata = std::map<std::string, std::string>;

// What a program needs beside the tensors of a model file to use them (docs/model.md): algorithm,
// environment, network, layout of the observations, bounds of the actions. Lists are JSON.
ModelMetadata model_metadata(const RunConfig& config, std::int64_t step);

// What such metadata say, without the environment: its name, observations and actions, and how
// observations are normalised. Throw Error that names `source` where they make no sense.
rl::EnvSpec spec_of_model(const ModelMetadata& metadata, const std::string& source);
NormalizeConfig normalization_of_model(const ModelMetadata& metadata, const std::string& source);

// The value of a key. Throws Error that names `source` where it is not there.
const std::string& model_value(const ModelMetadata& metadata, const std::string& key,
                               const std::string& source);

}  // namespace tarl::train
