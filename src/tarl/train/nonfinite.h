// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

#include "tarl/core/state.h"
#include "tarl/rl/environment.h"

namespace tarl::train {

// Which part of a step's result is NaN or Inf ("a reward"); null if all of it is finite.
const char* nonfinite_part(const rl::ObsSpec& spec, std::span<const std::byte> obs,
                           const rl::StepResult& result);

// Throws NonFiniteError that names the first tensor below `prefix` with a NaN or Inf: such a state
// must not replace a good checkpoint.
void require_finite(const Tensors& tensors, std::string_view prefix);

}  // namespace tarl::train
