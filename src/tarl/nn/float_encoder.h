// SPDX-License-Identifier: MIT
#pragma once

#include "tarl/nn/encoder.h"

namespace tarl::nn {

// Observations that are already f32 vectors: copies them into padded rows.
class FloatEncoder final : public Encoder {
 public:
  explicit FloatEncoder(int size) : size_(size) {}

  int features() const override { return size_; }

  void backward(const float* values, const ObsRows& obs, const Maps& maps,
                std::span<const int> kept, Rows delta, int rank, Team& team,
                float* grads) const override;
  Maps take_rows(int rows, Arena& arena) const override;
  void forward(const float* values, const ObsRows& obs, Range rows,
               const Maps& maps) const override;

 private:
  int size_;
};

}  // namespace tarl::nn
