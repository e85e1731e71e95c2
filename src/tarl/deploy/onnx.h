// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "tarl/deploy/policy_network.h"

namespace tarl::deploy {

// The policy as an ONNX file (docs/export.md). Throws UsageError if it is too large for one.
std::string onnx_file(const PolicyNetwork& net);

}  // namespace tarl::deploy
