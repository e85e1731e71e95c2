// SPDX-License-Identifier: MIT
#pragma once

#include <array>

#include "tarl/rl/environment.h"

namespace tarl::envs::classic {

using Colour = std::array<std::uint8_t, 3>;

inline constexpr Colour kPaper = {248, 248, 245};
inline constexpr Colour kDark = {45, 50, 60};
inline constexpr Colour kBlue = {60, 110, 180};
inline constexpr Colour kOrange = {225, 130, 60};

// In pixels, from the upper left corner.
struct Point {
  double x = 0;
  double y = 0;
};

// A picture to draw simple shapes on; what lies outside it is cut off.
class Drawing {
 public:
  Drawing(int width, int height);

  // A line with round ends, `radius` pixels to either side.
  void line(Point from, Point to, double radius, Colour colour);

  void disc(Point centre, double radius, Colour colour) { line(centre, centre, radius, colour); }

  const rl::Image& image() const { return image_; }

 private:
  rl::Image image_;
};

}  // namespace tarl::envs::classic
