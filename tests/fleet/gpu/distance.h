// SPDX-License-Identifier: MIT
#pragma once

#include <cmath>
#include <span>

namespace tarl::fleet::test {

// |a - b| / |b|.
inline double distance(std::span<const float> a, std::span<const float> b) {
  double apart = 0, size = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    apart += (double{a[i]} - double{b[i]}) * (double{a[i]} - double{b[i]});
    size += double{b[i]} * double{b[i]};
  }
  return std::sqrt(apart / size);
}

}  // namespace tarl::fleet::test
