// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "tarl/envs/atari/emulator.h"

namespace tarl::envs::atari {

// Brightness of a colour, as OpenCV computes it: (9798 R + 19235 G + 3735 B) / 2^15, rounded.
constexpr std::uint8_t grey(const Rgb& colour) {
  return static_cast<std::uint8_t>(
      (9798 * colour.red + 19235 * colour.green + 3735 * colour.blue + 16384) >> 15);
}

// Two screens into one grey picture: per pixel and colour channel the brighter of both (games
// draw some objects only every other frame), then grey().
class GreyPool {
 public:
  explicit GreyPool(const Palette& palette);

  // Switches to another palette, if it differs.
  void follow(const Palette& palette);

  // Requires three spans of one size, a multiple of 8.
  void operator()(std::span<const std::uint8_t> first, std::span<const std::uint8_t> second,
                  std::span<std::uint8_t> out) const;

 private:
  void grey_word(const std::uint8_t* first, const std::uint8_t* second, std::uint8_t* out) const;

  Palette palette_;
  std::array<std::uint8_t, 256> of_one_;      // by a pixel that both screens agree on
  std::vector<std::uint8_t> of_both_;         // [256][256] by the pixel in either screen
  std::vector<std::uint16_t> of_neighbours_;  // [65536] by two pixels that both screens agree on
  bool permutes_;                             // the CPU can look up 64 bytes at once
};

// Shrinks a picture: every output pixel is the average over the box it covers, with the exact
// share of each input pixel as its weight, rounded half up.
class AreaResize {
 public:
  // Requires sides at most three times as long as the output's, and an output width that is a
  // multiple of four.
  AreaResize(int in_height, int in_width, int out_height, int out_width);

  // Requires spans of the two pictures' sizes.
  void operator()(std::span<const std::uint8_t> in, std::span<std::uint8_t> out);

 private:
  typedef float Four __attribute__((vector_size(16)));
  typedef int FourIndices __attribute__((vector_size(16)));
  static constexpr int kTaps = 4;  // input pixels that a box can touch

  // One side: where each output pixel's box begins in the input, and the share of the kTaps pixels
  // from there in it. Shares are whole numbers that sum to `length`.
  struct Boxes {
    Boxes(int in, int out);
    std::vector<int> begin;   // [out]
    std::vector<Four> share;  // [out]
    int length = 1;
  };

  void sum_rows(const std::uint8_t* in, const Four& share);
  void average_columns();

  int in_width_;
  Boxes rows_;
  Boxes columns_;
  std::vector<float> row_sum_;  // [in_width] of one output row
  std::vector<int> average_;    // [out_width] of the same
  // An average is (sum + half) * scale, truncated. Sums are whole numbers below 2^21, exact in
  // floats; half a unit more than one half keeps the quotient clear of the next integer by more
  // than the rounding error, so the result is that of exact division.
  float half_ = 0;
  float scale_ = 1;
};

}  // namespace tarl::envs::atari
