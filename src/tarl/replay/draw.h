// SPDX-License-Identifier: MIT
#pragma once

#include <cmath>
#include <cstdint>
#include <span>

#include "tarl/core/host_device.h"
#include "tarl/core/rng.h"
#include "tarl/replay/kinds.h"

namespace tarl::replay {

// Filled slots, of `size` in all, uniformly.
inline void draw_slots(std::int64_t size, Rng& rng, std::span<std::int64_t> slots) {
  for (std::int64_t& slot : slots) slot = rng.below(static_cast<std::uint32_t>(size));
}

// The mass at which row `row` of `rows` is drawn, for u in [0, 1).
TARL_HOST_DEVICE inline double drawn_mass(Draw draw, int row, int rows, double u, double total) {
  return draw == Draw::kIndependent ? u * total : (row + u) / rows * total;
}

// One mass per row. Stratified masses are shuffled: ties of the alignment score go to the lower
// row, and ascending masses would hand every tie to the lowest slots.
void draw_masses(Draw draw, double total, Rng& rng, std::span<double> masses);

// beta anneals linearly to 1 over the run.
TARL_HOST_DEVICE inline double annealed_beta(double initial, double progress) {
  return initial + (1.0 - initial) * (progress < 0 ? 0 : progress > 1 ? 1 : progress);
}

// (N P)^-beta of a row drawn with probability P from N transitions, not normalised.
TARL_HOST_DEVICE inline double importance_weight(std::int64_t size, double probability,
                                                 double beta) {
  return std::pow(static_cast<double>(size) * probability, -beta);
}

// out[i] = raw[kept[i]] / max over kept of raw. Requires kept.size() == out.size().
void normalise_weights(std::span<const float> raw, std::span<const std::int32_t> kept,
                       std::span<float> out);

}  // namespace tarl::replay
