// SPDX-License-Identifier: MIT
#pragma once

#include <array>

#include "tarl/nn/conv2d.h"
#include "tarl/nn/encoder.h"
#include "tarl/nn/parameters.h"

namespace tarl::nn {

// The convolutions of Mnih et al. 2015 on byte images, divided by 255: 32 maps of 8x8 with stride
// 4, 64 of 4x4 with stride 2, 64 of 3x3 with stride 1; no padding, ReLUs. Features are ordered
// (row, column, map).
//
// Images are rearranged into blocks of 4x4 pixels, on which the first convolution becomes one of
// 2x2 with stride 1 and 16 times the channels.
class NatureEncoder final : public Encoder {
 public:
  static constexpr int kLeastSide = 36;  // the smallest image that all three fit
  static constexpr std::array kStrides = {4, 2, 1};
  static constexpr float kPixelScale = 1.0F / 255.0F;  // factor of the bytes

  // Adds conv1, conv2 and conv3. Throws UsageError if the images are too small for them.
  NatureEncoder(ParameterLayout& layout, int channels, int height, int width);

  // The first of them operates on blocks of pixels.
  const std::array<Conv2d, 3>& convolutions() const { return convs_; }

  int features() const override { return convs_.back().out_size(); }

  std::vector<int> feature_order() const override;
  int delta_width() const override;
  double forward_work() const override;
  double backward_work() const override;

  bool trained() const override { return true; }

  // Frames of one game are similar, so the inactive features are, too.
  bool sparse() const override { return true; }

  void forward(const float* values, const ObsRows& obs, Range rows,
               const Maps& maps) const override;
  void backward(const float* values, const ObsRows& obs, const Maps& maps,
                std::span<const int> kept, Rows delta, int rank, Team& team,
                float* grads) const override;
  // Outputs of the three convolutions.
  Maps take_rows(int rows, Arena& arena) const override;

 private:
  struct Blocks {
    const float* floats;
    bool many_zeros;
  };

  Blocks blocks_of(const std::byte* obs, Range channels) const;
  float* delta_of(const Rows& delta, int row, std::size_t conv) const;
  void backward_images(const float* values, const std::vector<Rows>& maps,
                       std::span<const int> kept, Rows delta, Range share) const;
  void backward_biases(std::size_t conv, int rows, Rows delta, float* grads) const;

  int channels_;
  int height_;
  int width_;
  std::array<Conv2d, 3> convs_;
};

}  // namespace tarl::nn
