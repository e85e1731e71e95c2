// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "tarl/nn/encoder.h"
#include "tarl/nn/parameters.h"

namespace tarl::nn {

// A 3x3 convolution of binary images with 16 maps, stride 1, no padding, and a ReLU. It works on
// the set bits, so its cost depends on their number and not on the number of channels. Features are
// ordered (row, column, map).
class BitEncoder final : public Encoder {
 public:
  static constexpr int kMaps = 16;

  // Adds <name>.weight and <name>.bias. Throws UsageError for images smaller than 3x3 or larger
  // than kMaxBitImageSide.
  BitEncoder(ParameterLayout& layout, const std::string& name, int channels, int height, int width);

  int features() const override { return (height_ - 2) * (width_ - 2) * kMaps; }

  std::vector<int> feature_order() const override;
  double forward_work() const override;

  double backward_work() const override { return forward_work(); }

  bool trained() const override { return true; }

  // Away from set bits a feature is its bias, or zero if the bias is negative.
  bool sparse() const override { return true; }

  Maps take_rows(int rows, Arena& arena) const override;
  void forward(const float* values, const ObsRows& obs, Range rows,
               const Maps& maps) const override;
  void backward(const float* values, const ObsRows& obs, const Maps& maps,
                std::span<const int> kept, Rows delta, int rank, Team& team,
                float* grads) const override;

 private:
  int channels_;
  int height_;
  int width_;
  Linear conv_;
};

}  // namespace tarl::nn
