// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <random>
#include <span>
#include <string>

#include "tarl/core/error.h"

namespace minatar_tests {

// Recorded draws. A game that requests a draw other than the recorded one fails.
class RecordedDraws {
 public:
  // kinds[i] is 0 for a real, n for an index among n.
  RecordedDraws(std::span<const std::int64_t> kinds, std::span<const double> values)
      : kinds_(kinds), values_(values) {}

  double real() { return next(0); }

  int index(int n) { return static_cast<int>(next(n)); }

  std::int64_t used() const { return static_cast<std::int64_t>(used_); }

 private:
  double next(std::int64_t kind) {
    if (used_ >= kinds_.size() || kinds_[used_] != kind) {
      throw tarl::Error("draw_n[" + std::to_string(used_) + "]: the game asked for " +
                        std::to_string(kind) + ", the record " +
                        (used_ < kinds_.size() ? "has " + std::to_string(kinds_[used_]) : "ends"));
    }
    return values_[used_++];
  }

  std::span<const std::int64_t> kinds_;
  std::span<const double> values_;
  std::size_t used_ = 0;
};

// The stream of the original games: MT19937 with NumPy's reals and masked, rejected integers.
class NumpyDraws {
 public:
  explicit NumpyDraws(std::uint32_t seed) : generator_(seed) {}

  double real() {
    const double high = static_cast<double>(generator_() >> 5);
    const double low = static_cast<double>(generator_() >> 6);
    return (high * 0x1p26 + low) * 0x1p-53;
  }

  int index(int n) {
    const std::uint32_t range = static_cast<std::uint32_t>(n) - 1;
    if (range == 0) return 0;
    std::uint32_t mask = 1;
    while (mask < range) mask = 2 * mask + 1;
    while (true) {
      const std::uint32_t value = static_cast<std::uint32_t>(generator_()) & mask;
      if (value <= range) return static_cast<int>(value);
    }
  }

 private:
  std::mt19937 generator_;
};

}  // namespace minatar_tests
