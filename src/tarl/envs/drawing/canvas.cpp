// SPDX-License-Identifier: MIT
#include "tarl/envs/drawing/canvas.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace tarl::envs {

Canvas::Canvas(int width, int height, Colour background) : image_{width, height, {}} {
  for (int i = 0; i < width * height; ++i) {
    image_.rgb.insert(image_.rgb.end(), background.begin(), background.end());
  }
}

void Canvas::set_view(double left, double bottom, double scale) {
  left_ = left;
  bottom_ = bottom;
  scale_ = scale;
}

Point Canvas::to_pixels(Point world) const {
  return {(world.x - left_) * scale_, image_.height - (world.y - bottom_) * scale_};
}

// Fills the pixels of a row whose centres lie in [from, to).
void Canvas::span_of_row(int row, double from, double to, Colour colour) {
  const double width = image_.width;
  const int begin = static_cast<int>(std::ceil(std::clamp(from - 0.5, 0.0, width)));
  const int end = static_cast<int>(std::ceil(std::clamp(to - 0.5, 0.0, width)));
  for (int column = begin; column < end; ++column) {
    const std::size_t at = (static_cast<std::size_t>(row) * image_.width + column) * 3;
    std::copy(colour.begin(), colour.end(), image_.rgb.begin() + static_cast<std::ptrdiff_t>(at));
  }
}

void Canvas::polygon(std::span<const Point> corners, Colour colour) {
  std::vector<Point> pixels;
  for (const Point& corner : corners) pixels.push_back(to_pixels(corner));
  std::vector<double> crossings;
  for (int row = 0; row < image_.height; ++row) {
    const double y = row + 0.5;
    crossings.clear();
    for (std::size_t i = 0; i < pixels.size(); ++i) {
      const Point a = pixels[i], b = pixels[(i + 1) % pixels.size()];
      if ((a.y <= y) == (b.y <= y)) continue;
      crossings.push_back(a.x + (y - a.y) / (b.y - a.y) * (b.x - a.x));
    }
    std::sort(crossings.begin(), crossings.end());
    for (std::size_t i = 0; i + 1 < crossings.size(); i += 2) {
      span_of_row(row, crossings[i], crossings[i + 1], colour);
    }
  }
}

void Canvas::capsule(Point from, Point to, double radius, Colour colour) {
  const Point a = to_pixels(from), b = to_pixels(to);
  const double r = radius * scale_, dx = b.x - a.x, dy = b.y - a.y;
  const double length_squared = dx * dx + dy * dy;
  const auto bound = [](double value, int limit) {
    return static_cast<int>(std::clamp(value, 0.0, static_cast<double>(limit)));
  };
  const int top = bound(std::min(a.y, b.y) - r, image_.height);
  const int end_row = bound(std::max(a.y, b.y) + r + 1, image_.height);
  const int begin = bound(std::min(a.x, b.x) - r, image_.width);
  const int end = bound(std::max(a.x, b.x) + r + 1, image_.width);
  for (int row = top; row < end_row; ++row) {
    for (int column = begin; column < end; ++column) {
      const double px = column + 0.5 - a.x, py = row + 0.5 - a.y;
      const double along = length_squared > 0 ? (px * dx + py * dy) / length_squared : 0;
      const double t = std::clamp(along, 0.0, 1.0);
      const double ex = px - t * dx, ey = py - t * dy;
      if (ex * ex + ey * ey <= r * r) span_of_row(row, column, column + 1, colour);
    }
  }
}

}  // namespace tarl::envs
