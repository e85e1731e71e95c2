// SPDX-License-Identifier: MIT
#include "tarl/envs/atari/picture.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "tarl/core/rng.h"

namespace tarl::envs::atari {

namespace {

using Bytes = std::vector<std::uint8_t>;

Bytes random_picture(std::size_t pixels, std::uint64_t seed) {
  Rng rng = seeded(seed);
  Bytes picture(pixels);
  for (std::uint8_t& pixel : picture) pixel = static_cast<std::uint8_t>(rng.below(256));
  return picture;
}

Palette random_palette(std::uint64_t seed) {
  const Bytes levels = random_picture(256 * 3, seed);
  Palette palette{};
  for (std::size_t i = 0; i < 256; ++i) {
    palette[i] = {levels[3 * i], levels[3 * i + 1], levels[3 * i + 2]};
  }
  return palette;
}

// The share of input pixel `pixel` in output pixel `index`, times `out`: a whole number.
long overlap(int in, int out, int index, int pixel) {
  return std::max(0L, std::min<long>(long{index + 1} * in, long{pixel + 1} * out) -
                          std::max<long>(long{index} * in, long{pixel} * out));
}

// Box averages in whole numbers: sum / (in_height * in_width), rounded half up.
Bytes resize_by_definition(const Bytes& in, int in_height, int in_width, int side) {
  Bytes out;
  const long area = long{in_height} * in_width;
  for (int y = 0; y < side; ++y) {
    for (int x = 0; x < side; ++x) {
      long sum = 0;
      for (int row = 0; row < in_height; ++row) {
        const long vertical = overlap(in_height, side, y, row);
        if (vertical == 0) continue;
        for (int column = 0; column < in_width; ++column) {
          sum += vertical * overlap(in_width, side, x, column) *
                 in[static_cast<std::size_t>(row * in_width + column)];
        }
      }
      out.push_back(static_cast<std::uint8_t>((2 * sum + area) / (2 * area)));
    }
  }
  return out;
}

TEST(Grey, IsOpenCvsFormula) {
  EXPECT_EQ(grey({0, 0, 0}), 0);
  EXPECT_EQ(grey({255, 255, 255}), 255);
  EXPECT_EQ(grey({255, 0, 0}), 76);   // 0.299 * 255 = 76.2
  EXPECT_EQ(grey({0, 255, 0}), 150);  // 0.587 * 255 = 149.7
  EXPECT_EQ(grey({0, 0, 255}), 29);   // 0.114 * 255 = 29.1
  EXPECT_EQ(grey({198, 108, 58}), 129);
}

TEST(GreyPool, TakesTheBrighterOfEachChannel) {
  const Palette palette = random_palette(1);
  const GreyPool pool(palette);
  const Bytes first = random_picture(210 * 160, 2);
  // Long stretches that both screens agree on, as in games, and others that differ.
  Bytes second = first;
  const Bytes other = random_picture(first.size(), 3);
  for (std::size_t i = 0; i < second.size(); ++i) {
    if (i / 200 % 3 == 0) second[i] = other[i];
  }
  Bytes out(first.size());
  pool(first, second, out);
  for (std::size_t i = 0; i < out.size(); ++i) {
    const Rgb &a = palette[first[i]], &b = palette[second[i]];
    ASSERT_EQ(out[i],
              grey({std::max(a.red, b.red), std::max(a.green, b.green), std::max(a.blue, b.blue)}))
        << "pixel " << i;
  }
}

TEST(GreyPool, HandlesSizesThatAreNoWholeBlocks) {
  const Palette palette = random_palette(4);
  const GreyPool pool(palette);
  const Bytes picture = random_picture(64 + 24, 5);
  Bytes out(picture.size());
  pool(picture, picture, out);
  for (std::size_t i = 0; i < out.size(); ++i) EXPECT_EQ(out[i], grey(palette[picture[i]]));
}

class AreaResizeHeights : public testing::TestWithParam<int> {};

TEST(GreyPool, FollowsAPaletteThatChanges) {
  Palette palette = random_palette(1);
  GreyPool pool(palette);
  const Bytes first = random_picture(64, 2), second = random_picture(64, 3);
  palette[first[0]] = {1, 200, 3};
  pool.follow(palette);
  Bytes followed(64), expected(64);
  pool(first, second, followed);
  GreyPool{palette}(first, second, expected);
  EXPECT_EQ(followed, expected);
}

TEST_P(AreaResizeHeights, EqualsExactBoxAverages) {
  const int height = GetParam();
  AreaResize resize(height, 160, 84, 84);
  for (const std::uint64_t seed : {6, 7, 8}) {
    const Bytes picture = random_picture(static_cast<std::size_t>(height * 160), seed);
    Bytes out(84 * 84);
    resize(picture, out);
    EXPECT_EQ(out, resize_by_definition(picture, height, 160, 84));
  }
}

// The heights of the pictures that the emulator draws.
INSTANTIATE_TEST_SUITE_P(Consoles, AreaResizeHeights, testing::Values(210, 214, 220, 230, 250));

TEST(AreaResize, RoundsHalvesUp) {
  // Alternating black and dim columns of one box each: 84 x 168 shrinks by two to averages of 0.5.
  AreaResize resize(84, 168, 84, 84);
  Bytes picture(84 * 168);
  for (std::size_t i = 0; i < picture.size(); i += 2) picture[i] = 1;
  Bytes out(84 * 84);
  resize(picture, out);
  EXPECT_EQ(out, Bytes(84 * 84, 1));
}

TEST(AreaResize, KeepsEveryFlatLevel) {
  AreaResize resize(210, 160, 84, 84);
  Bytes out(84 * 84);
  for (int level = 0; level < 256; ++level) {
    const auto value = static_cast<std::uint8_t>(level);
    resize(Bytes(210 * 160, value), out);
    ASSERT_EQ(out, Bytes(84 * 84, value));
  }
}

}  // namespace

}  // namespace tarl::envs::atari
