// SPDX-License-Identifier: MIT
#include "tarl/envs/classic/drawing.h"

#include <gtest/gtest.h>

namespace tarl::envs::classic {

namespace {

Colour pixel(const rl::Image& image, int x, int y) {
  const auto at = static_cast<std::size_t>((y * image.width + x) * 3);
  return {image.rgb[at], image.rgb[at + 1], image.rgb[at + 2]};
}

TEST(Drawing, FillsALineAndLeavesTheRest) {
  Drawing drawing(20, 10);
  drawing.line({2, 5}, {30, 5}, 2, kBlue);  // reaches past the right edge
  EXPECT_EQ(pixel(drawing.image(), 10, 5), kBlue);
  EXPECT_EQ(pixel(drawing.image(), 19, 4), kBlue);
  EXPECT_EQ(pixel(drawing.image(), 10, 8), kPaper);
  EXPECT_EQ(pixel(drawing.image(), 0, 0), kPaper);
}

TEST(Drawing, ADiscIsRound) {
  Drawing drawing(20, 20);
  drawing.disc({10, 10}, 5, kDark);
  EXPECT_EQ(pixel(drawing.image(), 10, 6), kDark);
  EXPECT_EQ(pixel(drawing.image(), 5, 6), kPaper);
}

}  // namespace

}  // namespace tarl::envs::classic
