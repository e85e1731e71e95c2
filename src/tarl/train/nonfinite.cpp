// SPDX-License-Identifier: MIT
#include "tarl/train/nonfinite.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace tarl::train {

namespace {

template <class T>
bool all_finite(std::span<const T> values) {
  return std::all_of(values.begin(), values.end(), [](T value) { return std::isfinite(value); });
}

bool is_finite(const Tensor& tensor) {
  if (tensor.dtype == Dtype::kF32) return all_finite(tensor.as<float>());
  return tensor.dtype != Dtype::kF64 || all_finite(tensor.as<double>());
}

}  // namespace

const char* nonfinite_part(const rl::ObsSpec& spec, std::span<const std::byte> obs,
                           const rl::StepResult& result) {
  if (!std::isfinite(result.reward)) return "a reward";
  if (!std::isfinite(result.score)) return "a score";
  if (spec.kind != rl::ObsKind::kFloats) return nullptr;
  for (std::size_t at = 0; at < obs.size(); at += sizeof(float)) {
    float value = 0;
    std::memcpy(&value, obs.data() + at, sizeof value);
    if (!std::isfinite(value)) return "an observation";
  }
  return nullptr;
}

void require_finite(const Tensors& tensors, std::string_view prefix) {
  for (auto it = tensors.lower_bound(std::string(prefix)); it != tensors.end(); ++it) {
    if (!it->first.starts_with(prefix)) return;
    if (is_finite(it->second)) continue;
    throw NonFiniteError("'" + it->first + "' is not finite, so no checkpoint was made of it");
  }
}

}  // namespace tarl::train
