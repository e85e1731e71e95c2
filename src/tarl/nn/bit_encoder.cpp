// SPDX-License-Identifier: MIT
#include "tarl/nn/bit_encoder.h"

#include <algorithm>
#include <cstring>

#include "tarl/core/error.h"
#include "tarl/nn/instruction_set.h"

namespace tarl::nn {

namespace {

constexpr int kTaps = 9;

BitImages images_at(const std::byte* obs, std::size_t bytes, int height, int width, int channels) {
  return {height, width, channels, reinterpret_cast<const unsigned char*>(obs), bytes};
}

}  // namespace

BitEncoder::BitEncoder(ParameterLayout& layout, const std::string& name, int channels, int height,
                       int width)
    : channels_(channels), height_(height), width_(width) {
  if (std::min(height, width) < 3 || std::max(height, width) > kMaxBitImageSide) {
    throw UsageError("a 3x3 convolution of bits needs images from 3x3 to " +
                     std::to_string(kMaxBitImageSide) + " a side, not " + std::to_string(height) +
                     "x" + std::to_string(width));
  }
  conv_ = layout.add_conv(name, channels, kMaps, 3, 3);
}

std::vector<int> BitEncoder::feature_order() const {
  return flattened_image_order(kMaps, height_ - 2, width_ - 2);
}

double BitEncoder::forward_work() const {
  return static_cast<double>(features()) * kTaps * channels_;
}

std::vector<Rows> BitEncoder::take_rows(int rows, Arena& arena) const {
  return {arena.take_rows(rows, features())};
}

void BitEncoder::forward(const float* values, const ObsRows& obs, Range rows,
                         const std::vector<Rows>& maps) const {
  if (rows.size() == 0) return;
  kernels().bit_conv(images_at(obs.row(rows.begin), obs.bytes, height_, width_, channels_),
                     rows.size(), values + conv_.weight, values + conv_.bias,
                     maps.back().row(rows.begin), maps.back().stride);
}

// The taps are divided among the team. Each gradient element is a single sum: over rows, then
// positions for a weight; over positions of the sums over rows for a bias.
void BitEncoder::backward(const float*, const ObsRows& obs, const std::vector<Rows>&,
                          std::span<const int> kept, Rows delta, int rank, Team& team,
                          float* grads) const {
  const Kernels& use = kernels();
  const Range taps = share(kTaps, rank, team.size());
  float* weight = grads + conv_.weight;
  const std::size_t tap_floats = static_cast<std::size_t>(channels_) * kMaps;
  std::memset(weight + static_cast<std::size_t>(taps.begin) * tap_floats, 0,
              static_cast<std::size_t>(taps.size()) * tap_floats * sizeof(float));
  const int count = static_cast<int>(kept.size());
  use.bit_conv_weights(images_at(obs.data, obs.bytes, height_, width_, channels_), kept.data(),
                       count, delta.data, delta.stride, weight, taps.begin, taps.end);
  if (rank == team.size() - 1) {
    float sums[kMaxBitImageSide * kMaxBitImageSide * kMaps];
    use.column_sums(delta.data, delta.stride, count, features(), sums);
    use.column_sums(sums, kMaps, features() / kMaps, kMaps, grads + conv_.bias);
  }
}

}  // namespace tarl::nn
