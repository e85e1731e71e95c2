// SPDX-License-Identifier: MIT
#include "tarl/envs/classic/drawing.h"

#include <algorithm>
#include <cmath>

namespace tarl::envs::classic {

namespace {

// Distance of a point from the line between two others.
double distance(Point point, Point from, Point to) {
  const double dx = to.x - from.x, dy = to.y - from.y;
  const double length_squared = dx * dx + dy * dy;
  double along = 0;
  if (length_squared > 0) {
    along = ((point.x - from.x) * dx + (point.y - from.y) * dy) / length_squared;
    along = std::clamp(along, 0.0, 1.0);
  }
  return std::hypot(point.x - from.x - along * dx, point.y - from.y - along * dy);
}

}  // namespace

Drawing::Drawing(int width, int height) : image_{width, height, {}} {
  for (int pixel = 0; pixel < width * height; ++pixel) {
    image_.rgb.insert(image_.rgb.end(), kPaper.begin(), kPaper.end());
  }
}

void Drawing::line(Point from, Point to, double radius, Colour colour) {
  for (int y = 0; y < image_.height; ++y) {
    for (int x = 0; x < image_.width; ++x) {
      if (distance({x + 0.5, y + 0.5}, from, to) > radius) continue;
      const auto pixel = static_cast<std::ptrdiff_t>(y) * image_.width + x;
      std::copy(colour.begin(), colour.end(), image_.rgb.begin() + pixel * 3);
    }
  }
}

}  // namespace tarl::envs::classic
