// SPDX-License-Identifier: MIT
#include "tarl/envs/minatar/picture.h"

#include <array>

#include "tarl/core/error.h"
#include "tarl/envs/minatar/rules.h"

namespace tarl::envs::minatar {

namespace {

using Colour = std::array<std::uint8_t, 3>;

constexpr Colour kGround = {18, 20, 28};
constexpr Colour kLine = {36, 40, 52};
constexpr std::array<Colour, 10> kChannelColours = {{
    {250, 250, 245},  // white: the player in every game
    {240, 110, 90},   // coral
    {110, 130, 170},  // slate
    {250, 200, 80},   // amber
    {120, 210, 140},  // green
    {90, 180, 240},   // sky
    {190, 130, 230},  // violet
    {80, 210, 210},   // turquoise
    {240, 150, 200},  // pink
    {200, 170, 120},  // sand
}};

Colour cell_colour(int row, int column, int channels,
                   const std::function<bool(int, int, int)>& is_set) {
  for (int channel = 0; channel < channels; ++channel) {
    if (is_set(row, column, channel)) return kChannelColours[static_cast<std::size_t>(channel)];
  }
  return kGround;
}

}  // namespace

rl::Image draw_grid(int channels, const std::function<bool(int, int, int)>& is_set) {
  require(channels <= static_cast<int>(kChannelColours.size()), "more channels than colours");
  constexpr int kPixels = kSide * kCellPixels + 1;  // plus the last line
  rl::Image image{kPixels, kPixels, {}};
  image.rgb.reserve(static_cast<std::size_t>(kPixels) * kPixels * 3);
  for (int y = 0; y < kPixels; ++y) {
    for (int x = 0; x < kPixels; ++x) {
      const bool line = x % kCellPixels == 0 || y % kCellPixels == 0;
      const Colour colour =
          line ? kLine : cell_colour(y / kCellPixels, x / kCellPixels, channels, is_set);
      image.rgb.insert(image.rgb.end(), colour.begin(), colour.end());
    }
  }
  return image;
}

}  // namespace tarl::envs::minatar
