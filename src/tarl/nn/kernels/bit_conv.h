// SPDX-License-Identifier: MIT
#pragma once

// 3x3 convolution of a binary image by its set bits: each adds nine rows of weights, one vector
// of 16 maps each. Cost follows the number of bits, not the number of channels. Bits come in
// ascending order, so each sum runs over (tap row, tap column, channel) as a dense one would.

#include "tarl/nn/kernels/kernels.h"

namespace tarl::nn {

namespace {

// Sums live on a map with a border of two, where every bit has all nine taps.
inline constexpr int kBorder = 2;
inline constexpr int kMaxMapSide = kMaxBitImageSide + kBorder;

template <class Visit>
inline void for_each_bit(const BitImages& image, const unsigned char* words, Visit visit) {
  const int bits = image.height * image.width * image.channels;
  int column = 0, row = 0, base = 0;  // of the pixel found last; base is its first bit
  for (int word = 0; word * 64 < bits; ++word) {
    std::uint64_t left = 0;
    __builtin_memcpy(&left, words + word * 8, sizeof left);
    for (; left != 0; left &= left - 1) {
      const int bit = word * 64 + __builtin_ctzll(left);
      while (bit >= base + image.channels) {
        base += image.channels;
        if (++column == image.width) {
          column = 0;
          ++row;
        }
      }
      visit(row, column, bit - base);
    }
  }
}

inline void bit_conv(const BitImages& images, int count, const float* weight, const float* bias,
                     float* out, long stride) {
  float map[kMaxMapSide * kMaxMapSide * kLanes];
  const int side = images.width + kBorder;
  const int height = images.height - 2, width = images.width - 2;
  const Vec first = load(bias);
  for (int i = 0; i < (images.height + kBorder) * side; ++i) store(map + i * kLanes, first);
  const long tap_stride = images.channels * kLanes;
  for (int i = 0; i < count; ++i, out += stride) {
    const unsigned char* words = images.words + static_cast<std::size_t>(i) * images.bytes;
    for_each_bit(images, words, [&](int row, int column, int channel) {
      const float* w = weight + channel * kLanes;
#pragma GCC unroll 3
      for (int y = 0; y < 3; ++y) {
        float* sums = map + ((row - y + kBorder) * side + column + kBorder) * kLanes;
#pragma GCC unroll 3
        for (int x = 0; x < 3; ++x) {
          float* sum = sums - x * kLanes;
          store(sum, load(sum) + load(w + (y * 3 + x) * tap_stride));
        }
      }
    });
    // Reads the sums and leaves the map ready for the next image; the border is never read.
    float* to = out;
    for (int row = 0; row < height; ++row) {
      float* sums = map + ((row + kBorder) * side + kBorder) * kLanes;
      for (int x = 0; x < width; ++x, to += kLanes, sums += kLanes) {
        store(to, relu(load(sums)));
        store(sums, first);
      }
    }
  }
}

inline void bit_conv_weights(const BitImages& images, const int* rows, int count, const float* dy,
                             long stride, float* grad, int tap_begin, int tap_end) {
  float map[kMaxMapSide * kMaxMapSide * kLanes];
  const int side = images.width + kBorder;
  const int height = images.height - 2, width = images.width - 2;
  for (int i = 0; i < (images.height + kBorder) * side; ++i) store(map + i * kLanes, zero());
  for (int i = 0; i < count; ++i, dy += stride) {
    const float* from = dy;
    for (int y = 0; y < height; ++y) {
      float* to = map + ((y + kBorder) * side + kBorder) * kLanes;
      for (int x = 0; x < width; ++x, from += kLanes) store(to + x * kLanes, load(from));
    }
    const unsigned char* words = images.words + static_cast<std::size_t>(rows[i]) * images.bytes;
    for_each_bit(images, words, [&](int row, int column, int channel) {
      const float* corner = map + ((row + kBorder) * side + column + kBorder) * kLanes;
      float* sums = grad + channel * kLanes;
#pragma GCC unroll 9
      for (int tap = 0; tap < 9; ++tap) {
        if (tap < tap_begin || tap >= tap_end) continue;
        float* sum = sums + tap * images.channels * kLanes;
        store(sum, load(sum) + load(corner - (tap / 3 * side + tap % 3) * kLanes));
      }
    });
  }
}

}  // namespace

}  // namespace tarl::nn
