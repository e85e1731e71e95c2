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

// Where a bit lies. Bits come in ascending order, so that the way from one to the next is short.
struct PixelCursor {
  int row = 0;
  int column = 0;
  int base = 0;  // the pixel's first bit

  void move_to(int bit, const BitImages& image) {
    while (bit >= base + image.channels) {
      base += image.channels;
      if (++column == image.width) {
        column = 0;
        ++row;
      }
    }
  }
};

template <class Visit>
inline void for_each_bit(const BitImages& image, const unsigned char* words, Visit visit) {
  const int bits = image.height * image.width * image.channels;
  PixelCursor pixel;
  for (int first = 0; first < bits; first += 64, words += 8) {
    std::uint64_t left = 0;
    __builtin_memcpy(&left, words, sizeof left);
    for (; left != 0; left &= left - 1) {
      const int bit = first + __builtin_ctzll(left);
      pixel.move_to(bit, image);
      visit(pixel.row, pixel.column, bit - pixel.base);
    }
  }
}

// Place (row, column) of the image on the map with the border.
inline float* on_map(float* map, int side, int row, int column) {
  return map + vectors((row + kBorder) * side + column + kBorder);
}

// Adds the nine rows of weights of a bit to the sums that it belongs to.
inline void add_taps(const float* weight, long tap_stride, float* corner, int side) {
#pragma GCC unroll 3
  for (int y = 0; y < 3; ++y) {
#pragma GCC unroll 3
    for (int x = 0; x < 3; ++x) {
      float* sum = corner - vectors(y * side + x);
      store(sum, load(sum) + load(weight + (y * 3 + x) * tap_stride));
    }
  }
}

// Reads the sums of an image and leaves the map ready for the next; the border is never read.
inline void take_sums(const BitImages& images, float* map, Vec first, float* out) {
  const int side = images.width + kBorder;
  const int height = images.height - 2, width = images.width - 2;
  for (int row = 0; row < height; ++row) {
    float* sums = on_map(map, side, row, 0);
    for (int x = 0; x < width; ++x, out += kLanes, sums += kLanes) {
      store(out, relu(load(sums)));
      store(sums, first);
    }
  }
}

inline void bit_conv(const BitImages& images, int count, const float* weight, const float* bias,
                     float* out, long stride) {
  float map[kMaxMapSide * kMaxMapSide * kLanes];
  const int side = images.width + kBorder;
  const Vec first = load(bias);
  for (int i = 0; i < (images.height + kBorder) * side; ++i) store(map + vectors(i), first);
  const long tap_stride = vectors(images.channels);
  for (int i = 0; i < count; ++i, out += stride) {
    const unsigned char* words = images.words + static_cast<std::size_t>(i) * images.bytes;
    for_each_bit(images, words, [&](int row, int column, int channel) {
      add_taps(weight + vectors(channel), tap_stride, on_map(map, side, row, column), side);
    });
    take_sums(images, map, first, out);
  }
}

inline void bit_conv_weights(const BitImages& images, const int* rows, int count, const float* dy,
                             long stride, float* grad, int tap_begin, int tap_end) {
  float map[kMaxMapSide * kMaxMapSide * kLanes];
  const int side = images.width + kBorder;
  const int height = images.height - 2, width = images.width - 2;
  const long tap_stride = vectors(images.channels);
  for (int i = 0; i < (images.height + kBorder) * side; ++i) store(map + vectors(i), zero());
  for (int i = 0; i < count; ++i, dy += stride) {
    const float* from = dy;
    for (int y = 0; y < height; ++y) {
      float* to = on_map(map, side, y, 0);
      for (int x = 0; x < width; ++x, from += kLanes) store(to + vectors(x), load(from));
    }
    const unsigned char* words = images.words + static_cast<std::size_t>(rows[i]) * images.bytes;
    for_each_bit(images, words, [&](int row, int column, int channel) {
      const float* corner = on_map(map, side, row, column);
      float* sums = grad + vectors(channel);
#pragma GCC unroll 9
      for (int tap = 0; tap < 9; ++tap) {
        if (tap < tap_begin || tap >= tap_end) continue;
        float* sum = sums + tap * tap_stride;
        store(sum, load(sum) + load(corner - vectors(tap / 3 * side + tap % 3)));
      }
    });
  }
}

}  // namespace

}  // namespace tarl::nn
