// SPDX-License-Identifier: MIT
#pragma once

// 3x3 convolution of a binary image by its set bits: each adds nine rows of weights, each one
// vector of 16 maps. The cost depends on the number of set bits, not on the number of channels.
// Bits are visited in ascending order, so each sum runs over (tap row, tap column, channel), as a
// dense one would.

#include "tarl/nn/kernels/kernels.h"

namespace tarl::nn {

namespace {

// Sums are accumulated on a map with a border of two, on which every bit has all nine taps.
inline constexpr int kBorder = 2;
inline constexpr int kMaxMapSide = kMaxBitImageSide + kBorder;

// A set bit: the position of its pixel on such a map, in vectors, and its channel.
struct SetBit {
  int place = 0;
  int channel = 0;
};

// Lists an image's set bits in batches, so that the work per bit is free of the branch
// mispredictions that searching between bits would cause.
class BitList {
 public:
  static constexpr int kWords = 8;

  explicit BitList(const BitImages& image)
      : bits_(image.height * image.width * image.channels),
        channels_(image.channels),
        width_(image.width),
        per_channels_(reciprocal(image.channels)),
        per_width_(reciprocal(image.width)) {}

  // Lists the set bits of words from `first` on in ascending order; returns their number.
  int fill(const unsigned char* words, int first) {
    int count = 0;
    for (int word = first; word < first + kWords && word * 64 < bits_; ++word) {
      std::uint64_t left = 0;
      __builtin_memcpy(&left, words + static_cast<long>(word) * 8, sizeof left);
      for (int part = 0; part < 64; part += kLanes, left >>= kLanes) {
        count += list_lanes(static_cast<unsigned>(left & 0xffff), word * 64 + part, at_ + count);
      }
    }
    return count;
  }

  SetBit operator[](int i) const {
    const int bit = at_[i];
    const int pixel = quotient(bit, per_channels_);
    const int row = quotient(pixel, per_width_);
    // A line of the map is longer than the image's by the border.
    return {pixel + row * kBorder + kBorder * (width_ + kBorder) + kBorder,
            bit - pixel * channels_};
  }

  int words() const { return (bits_ + 63) / 64; }

 private:
  // n / d = n * reciprocal(d) >> kShift for n below 2^10 d, which any image's bits satisfy, and d
  // below 2^20.
  static constexpr int kShift = 50;

  static std::uint64_t reciprocal(int d) {
    return (std::uint64_t{1} << kShift) / static_cast<std::uint64_t>(d) + 1;
  }

  static int quotient(int n, std::uint64_t by) {
    return static_cast<int>((static_cast<std::uint64_t>(n) * by) >> kShift);
  }

  int bits_, channels_, width_;
  std::uint64_t per_channels_, per_width_;
  int at_[kWords * 64 + kLanes];
};

// Position (row, column) of the image on the map with the border.
inline float* on_map(float* map, int side, int row, int column) {
  return map + vectors((row + kBorder) * side + column + kBorder);
}

// Adds the nine weight rows of a bit to the sums it contributes to.
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

// Reads an image's sums and resets the map for the next image; the border is never read.
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
  alignas(64) float map[kMaxMapSide * kMaxMapSide * kLanes];
  const int side = images.width + kBorder;
  const Vec first = load(bias);
  for (int i = 0; i < (images.height + kBorder) * side; ++i) store(map + vectors(i), first);
  const long tap_stride = vectors(images.channels);
  BitList bits(images);
  for (int i = 0; i < count; ++i, out += stride) {
    const unsigned char* words = images.words + static_cast<std::size_t>(i) * images.bytes;
    for (int word = 0; word < bits.words(); word += BitList::kWords) {
      const int listed = bits.fill(words, word);
      for (int n = 0; n < listed; ++n) {
        const SetBit bit = bits[n];
        add_taps(weight + vectors(bit.channel), tap_stride, map + vectors(bit.place), side);
      }
    }
    take_sums(images, map, first, out);
  }
}

// The weight gradients of one thread's taps.
struct TapSums {
  float* grad;
  long stride;
  int begin, end;

  bool has(int tap) const { return tap >= begin && tap < end; }
};

// Adds the contributions of a run of bits of one channel to the sums of its nine taps, which stay
// in registers.
inline int add_run(const BitList& bits, int n, int listed, const float* map, int side,
                   const TapSums& sums) {
  const int channel = bits[n].channel;
  float* at = sums.grad + vectors(channel);
  Vec sum[9];
#pragma GCC unroll 9
  for (int tap = 0; tap < 9; ++tap) {
    // The other taps belong to other threads.
    sum[tap] = sums.has(tap) ? load(at + tap * sums.stride) : zero();
  }
  for (; n < listed; ++n) {
    const SetBit bit = bits[n];
    if (bit.channel != channel) break;
    const float* corner = map + vectors(bit.place);
#pragma GCC unroll 9
    for (int tap = 0; tap < 9; ++tap) {
      sum[tap] = sum[tap] + load(corner - vectors(tap / 3 * side + tap % 3));
    }
  }
#pragma GCC unroll 9
  for (int tap = 0; tap < 9; ++tap) {
    if (sums.has(tap)) store(at + tap * sums.stride, sum[tap]);
  }
  return n;
}

inline void bit_conv_weights(const BitImages& images, const int* rows, int count, const float* dy,
                             long stride, float* grad, int tap_begin, int tap_end) {
  alignas(64) float map[kMaxMapSide * kMaxMapSide * kLanes];
  const int side = images.width + kBorder;
  const int height = images.height - 2, width = images.width - 2;
  const long tap_stride = vectors(images.channels);
  for (int i = 0; i < (images.height + kBorder) * side; ++i) store(map + vectors(i), zero());
  BitList bits(images);
  for (int i = 0; i < count; ++i, dy += stride) {
    const float* from = dy;
    for (int y = 0; y < height; ++y) {
      float* to = on_map(map, side, y, 0);
      for (int x = 0; x < width; ++x, from += kLanes) store(to + vectors(x), load(from));
    }
    const unsigned char* words = images.words + static_cast<std::size_t>(rows[i]) * images.bytes;
    for (int word = 0; word < bits.words(); word += BitList::kWords) {
      const int listed = bits.fill(words, word);
      for (int n = 0; n < listed;) {
        n = add_run(bits, n, listed, map, side, {grad, tap_stride, tap_begin, tap_end});
      }
    }
  }
}

}  // namespace

}  // namespace tarl::nn
