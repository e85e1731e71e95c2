// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace tarl::report {

// What all charts are made of.

// One decimal: finer than a pixel, and short. Whatever is far outside stays a number.
std::string coordinate(double value);
std::string point(double x, double y);
std::string text_element(const std::string& style, double x, double y, const std::string& text,
                         const std::string& attributes = "");
std::string line_element(const std::string& style, double x1, double y1, double x2, double y2);
std::string open_svg(int width, double height, const std::string& title,
                     const std::string& attributes = "");

// Maps data to the rectangle inside the axes.
struct Frame {
  double left, right, top, bottom;  // pixels
  double x_low, x_high, y_low, y_high;

  double x(double value) const {
    return left + (right - left) * (value - x_low) / (x_high - x_low);
  }

  double y(double value) const {
    return bottom - (bottom - top) * (value - y_low) / (y_high - y_low);
  }
};

// The finite values seen so far.
class Extent {
 public:
  void add(const std::vector<double>& values);
  // Never empty, so that axes need no data, and never narrower than an axis can show: values that
  // differ by rounding alone count as one.
  std::pair<double, double> range() const;

 private:
  bool any_ = false;
  double low_ = 0, high_ = 0;
};

// Curves of more points are drawn at this many of them.
inline constexpr std::size_t kMostPoints = 2000;

// The positions of a curve's points that are drawn: all of them, or kMostPoints spread evenly, the
// last among them. What is drawn is always true of its step; what lies between is left out.
std::vector<std::size_t> drawn_points(std::size_t count);

// Round numbers in [low, high], about `count` of them and never more than 50, and their texts.
std::vector<double> ticks(double low, double high, int count);
std::vector<std::string> tick_texts(const std::vector<double>& ticks);

}  // namespace tarl::report
