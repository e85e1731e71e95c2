// SPDX-License-Identifier: MIT
#include "tarl/nn/float_encoder.h"

#include <cstring>

namespace tarl::nn {

std::vector<Rows> FloatEncoder::take_rows(int rows, Arena& arena) const {
  return {arena.take_rows(rows, size_)};
}

void FloatEncoder::forward(const float*, const ObsRows& obs, Range rows,
                           const std::vector<Rows>& maps) const {
  for (int i = rows.begin; i < rows.end; ++i) {
    std::memcpy(maps.back().row(i), obs.row(i), static_cast<std::size_t>(size_) * sizeof(float));
  }
}

void FloatEncoder::backward(const float*, const ObsRows&, const std::vector<Rows>&,
                            std::span<const int>, Rows, int, Team&, float*) const {}

}  // namespace tarl::nn
