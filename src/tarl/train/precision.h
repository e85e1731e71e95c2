// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstdint>

namespace tarl::train {

// Precision of matrix products on a device. Parameters and optimiser state are always f32.
enum class Precision : std::int32_t {
  kF32,   // bit-identical to the CPU
  kTf32,  // tensor cores: operands of the hidden layers rounded to tf32, sums in f32
  kFp16,  // tensor cores: operands rounded to fp16, sums in f32
};
inline constexpr std::array kPrecisionNames = {"f32", "tf32", "fp16"};

}  // namespace tarl::train
