// SPDX-License-Identifier: MIT
#include "tarl/replay/draw.h"

#include <algorithm>

#include "tarl/core/error.h"

namespace tarl::replay {

void draw_masses(Draw draw, double total, Rng& rng, std::span<double> masses) {
  const int rows = static_cast<int>(masses.size());
  for (int row = 0; row < rows; ++row) {
    masses[static_cast<std::size_t>(row)] = drawn_mass(draw, row, rows, rng.uniform(), total);
  }
  if (draw == Draw::kIndependent) return;
  for (std::size_t left = masses.size(); left > 1; --left) {
    std::swap(masses[left - 1], masses[rng.below(static_cast<std::uint32_t>(left))]);
  }
}

void normalise_weights(std::span<const float> raw, std::span<const std::int32_t> kept,
                       std::span<float> out) {
  require(kept.size() == out.size(), "one weight for each kept row");
  float largest = 0;
  for (const std::int32_t row : kept)
    largest = std::max(largest, raw[static_cast<std::size_t>(row)]);
  for (std::size_t i = 0; i < kept.size(); ++i) {
    out[i] = raw[static_cast<std::size_t>(kept[i])] / largest;
  }
}

}  // namespace tarl::replay
