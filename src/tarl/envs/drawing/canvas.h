// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "tarl/rl/environment.h"

namespace tarl::envs {

using Colour = std::array<std::uint8_t, 3>;

struct Point {
  double x = 0;
  double y = 0;
};

// Draws flat shapes given in world units (y up) into an image. The view starts at `left`, `bottom`
// and has `scale` pixels per unit.
class Canvas {
 public:
  Canvas(int width, int height, Colour background);

  void set_view(double left, double bottom, double scale);

  void polygon(std::span<const Point> corners, Colour colour);
  // All points within `radius` of the segment; a disc if both ends coincide.
  void capsule(Point from, Point to, double radius, Colour colour);

  rl::Image take() { return std::move(image_); }

 private:
  Point to_pixels(Point world) const;
  void span_of_row(int row, double from, double to, Colour colour);

  rl::Image image_;
  double left_ = 0;
  double bottom_ = 0;
  double scale_ = 1;
};

}  // namespace tarl::envs
