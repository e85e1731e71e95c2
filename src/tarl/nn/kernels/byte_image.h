// SPDX-License-Identifier: MIT
#pragma once

// Converts byte images to floats, in the order that a convolution of 4 x 4 blocks reads them.

#include "tarl/nn/kernels/kernels.h"

namespace tarl::nn {

namespace {

inline unsigned word_at(const unsigned char* bytes) {
  unsigned word = 0;
  __builtin_memcpy(&word, bytes, sizeof word);
  return word;
}

inline int block_bytes(const ByteImage& image, float scale, float* out) {
  const Vec factor = splat(scale);
  const long width = image.width, plane = width * image.height;
  const long block_floats = 16L * image.channels;
  int zero_blocks = 0;
  for (int row = 0; row < image.block_rows; ++row) {
    for (int channel = image.first_channel; channel < image.last_channel; ++channel) {
      const unsigned char* line = image.bytes + channel * plane + row * (4 * width);
      float* to = out + row * (image.block_columns * block_floats) + 16L * channel;
      for (int column = 0; column < image.block_columns; ++column) {
        const FourWords words = {word_at(line), word_at(line + width), word_at(line + 2 * width),
                                 word_at(line + 3 * width)};
        zero_blocks += (words[0] | words[1] | words[2] | words[3]) == 0 ? 1 : 0;
        store(to, factor * from_bytes(words));
        line += 4;
        to += block_floats;
      }
    }
  }
  return zero_blocks;
}

inline void close_gates(float* x, const float* gate, std::size_t n) {
  for (std::size_t i = 0; i < n; i += kLanes) store(x + i, gated(load(x + i), load(gate + i)));
}

}  // namespace

}  // namespace tarl::nn
