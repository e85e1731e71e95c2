// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstdint>

namespace tarl::train {

// How numbers are multiplied on a device. Parameters and optimiser state are f32 in any case.
enum class Precision : std::int32_t {
  kF32,   // as the CPU does it, to the bit
  kTf32,  // operands of the hidden layers' products rounded to tf32, sums in f32, on tensor cores
  kFp16,  // operands of the products rounded to fp16, sums in f32, likewise
};
inline constexpr std::array kPrecisionNames = {"f32", "tf32", "fp16"};

}  // namespace tarl::train
