// SPDX-License-Identifier: MIT
#include "tarl/nn/nature_encoder.h"

#include <string>

#include "tarl/core/error.h"
#include "tarl/nn/instruction_set.h"

namespace tarl::nn {

namespace {

constexpr int kBlock = NatureEncoder::kStrides[0];  // side of a block
constexpr int kFirstKernel = 8;                     // in pixels
constexpr double kManyZeros = 0.2;  // share of black blocks above which skipping them pays off

// Per-thread memory that persists across calls.
float* scratch(std::vector<float>& floats, int size) {
  if (floats.size() < static_cast<std::size_t>(size)) floats.resize(static_cast<std::size_t>(size));
  return floats.data();
}

// Our inputs of the first convolution, (block row, block column, channel, y, x), for PyTorch's
// (channel, row, column).
std::vector<int> block_order(int channels) {
  std::vector<int> row_of;
  for (int channel = 0; channel < channels; ++channel) {
    for (int row = 0; row < kFirstKernel; ++row) {
      for (int column = 0; column < kFirstKernel; ++column) {
        const int block = row / kBlock * (kFirstKernel / kBlock) + column / kBlock;
        row_of.push_back(((block * channels + channel) * kBlock + row % kBlock) * kBlock +
                         column % kBlock);
      }
    }
  }
  return row_of;
}

}  // namespace

NatureEncoder::NatureEncoder(ParameterLayout& layout, int channels, int height, int width)
    : channels_(channels), height_(height), width_(width) {
  if (height < kLeastSide || width < kLeastSide) {
    throw UsageError("policy.network = nature needs images of at least " +
                     std::to_string(kLeastSide) + "x" + std::to_string(kLeastSide) +
                     " pixels, not " + std::to_string(height) + "x" + std::to_string(width));
  }
  const int block_channels = channels * kBlock * kBlock;
  convs_[0] = {
      height / kBlock,
      width / kBlock,
      block_channels,
      2,
      1,
      32,
      layout.add_conv("conv1", channels, 32, kFirstKernel, kFirstKernel, block_order(channels))};
  convs_[1] = {convs_[0].out_height(),
               convs_[0].out_width(),
               32,
               4,
               kStrides[1],
               64,
               layout.add_conv("conv2", 32, 64, 4, 4)};
  convs_[2] = {convs_[1].out_height(),
               convs_[1].out_width(),
               64,
               3,
               kStrides[2],
               64,
               layout.add_conv("conv3", 64, 64, 3, 3)};
}

std::vector<int> NatureEncoder::feature_order() const {
  return flattened_image_order(convs_[2].maps, convs_[2].out_height(), convs_[2].out_width());
}

int NatureEncoder::delta_width() const {
  return convs_[0].out_size() + convs_[1].out_size() + convs_[2].out_size();
}

double NatureEncoder::forward_work() const {
  return convs_[0].multiply_adds() + convs_[1].multiply_adds() + convs_[2].multiply_adds();
}

double NatureEncoder::backward_work() const {
  return 2 * forward_work() - convs_[0].multiply_adds();  // pixels need no gradient
}

std::vector<Rows> NatureEncoder::take_rows(int rows, Arena& arena) const {
  std::vector<Rows> maps;
  for (const Conv2d& conv : convs_) maps.push_back(arena.take_rows(rows, conv.out_size()));
  return maps;
}

// One image at a time, so that it stays in the cache across the convolutions.
void NatureEncoder::forward(const float* values, const ObsRows& obs, Range rows,
                            const std::vector<Rows>& maps) const {
  for (int row = rows.begin; row < rows.end; ++row) {
    const Blocks blocks = blocks_of(obs.row(row), {0, channels_});
    nn::forward(convs_[0], values, blocks.floats, blocks.many_zeros, maps[0].row(row));
    nn::forward(convs_[1], values, maps[0].row(row), true, maps[1].row(row));
    nn::forward(convs_[2], values, maps[1].row(row), true, maps[2].row(row));
  }
}

// The given channels only; valid until the same thread's next call.
NatureEncoder::Blocks NatureEncoder::blocks_of(const std::byte* obs, Range channels) const {
  static thread_local std::vector<float> memory;
  ByteImage image;
  image.channels = channels_;
  image.first_channel = channels.begin;
  image.last_channel = channels.end;
  image.height = height_;
  image.width = width_;
  image.bytes = reinterpret_cast<const unsigned char*>(obs);
  image.block_rows = convs_[0].height;
  image.block_columns = convs_[0].width;
  float* blocks = scratch(memory, convs_[0].in_size());
  const int zero = kernels().block_bytes(image, kPixelScale, blocks);
  return {blocks, zero > kManyZeros * channels.size() * image.block_rows * image.block_columns};
}

// The gradients of a row are contiguous, starting with the features'.
float* NatureEncoder::delta_of(const Rows& delta, int row, std::size_t conv) const {
  float* at = delta.row(row);
  for (std::size_t i = convs_.size() - 1; i > conv; --i) at += convs_[i].out_size();
  return at;
}

void NatureEncoder::backward(const float* values, const ObsRows& obs, const std::vector<Rows>& maps,
                             std::span<const int> kept, Rows delta, int rank, Team& team,
                             float* grads) const {
  const int rows = static_cast<int>(kept.size());
  backward_images(values, maps, kept, delta, share(rows, rank, team.size()));
  team.barrier();
  for (std::size_t c = 0; c < convs_.size(); ++c) {
    const Range units = share(weight_units(convs_[c]), rank, team.size());
    // For the first convolution, a block is a channel of the image.
    const Range channels = channel_blocks(convs_[c], units);
    for (int i = 0; i < rows; ++i) {
      const int row = kept[static_cast<std::size_t>(i)];
      const float* in = c == 0 ? blocks_of(obs.row(row), channels).floats : maps[c - 1].row(row);
      backward_weights(convs_[c], in, delta_of(delta, i, c), units, i == 0, grads);
    }
    if (static_cast<int>(c) % team.size() == rank) backward_biases(c, rows, delta, grads);
  }
}

// From the features back to the first convolution's output.
void NatureEncoder::backward_images(const float* values, const std::vector<Rows>& maps,
                                    std::span<const int> kept, Rows delta, Range share) const {
  static thread_local std::vector<float> memory;
  for (std::size_t c = convs_.size() - 1; c > 0; --c) {
    const Conv2d& conv = convs_[c];
    float* transposed = scratch(memory, conv.maps * row_stride(conv.weights.in));
    transpose_weights(conv, values, transposed);
    for (int i = share.begin; i < share.end; ++i) {
      backward_input(conv, transposed, delta_of(delta, i, c),
                     maps[c - 1].row(kept[static_cast<std::size_t>(i)]), delta_of(delta, i, c - 1));
    }
  }
}

// Sums over rows first, then over positions.
void NatureEncoder::backward_biases(std::size_t conv, int rows, Rows delta, float* grads) const {
  static thread_local std::vector<float> memory;
  const Conv2d& layer = convs_[conv];
  float* sums = scratch(memory, layer.out_size());
  kernels().column_sums(delta_of(delta, 0, conv), delta.stride, rows, layer.out_size(), sums);
  kernels().column_sums(sums, layer.maps, layer.out_size() / layer.maps, layer.maps,
                        grads + layer.weights.bias);
}

}  // namespace tarl::nn
