// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "tarl/train/config.h"

namespace tarl::train {

// What a program needs beside the tensors of a model file to use them (docs/model.md): algorithm,
// environment, network, layout of the observations, bounds of the actions. Lists are JSON.
std::map<std::string, std::string> model_metadata(const RunConfig& config, std::int64_t step);

}  // namespace tarl::train
