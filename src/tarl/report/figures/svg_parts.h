// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "tarl/report/figures/text_width.h"

namespace tarl::report {

// Building blocks of all charts.

// One decimal: finer than a pixel, and short. Values far outside are clamped.
std::string coordinate(double value);
std::string point(double x, double y);
std::string text_element(const std::string& style, double x, double y, const std::string& text,
                         const std::string& attributes = "");
std::string line_element(const std::string& style, double x1, double y1, double x2, double y2);
std::string circle_element(const std::string& style, double x, double y, double radius);
std::string open_svg(double width, double height, const std::string& title,
                     const std::string& attributes = "");

// Font sizes of charts, the same everywhere (plot.css).
inline constexpr double kTitleSize = 13, kTextSize = 11;
inline constexpr double kTitleLine = 16, kTextLine = 13;  // from one line to the next

// Lines of text below each other, the first with its baseline at y.
std::string text_lines(const std::string& style, double x, double y, double line,
                       const std::vector<std::string>& lines);

// A panel's title from its upper left corner, in as many lines as it takes, and its height.
struct Heading {
  std::string svg;
  double height;
};

Heading heading(const std::string& title, double width);

double widest(const std::vector<std::string>& texts);  // of text of kTextSize

// From a prediction to a target: an error on a value axis (scenarios.cpp).
std::string error_arrow(const char* style, double from, double to, double y);

// A part of a figure that its legend can highlight and hide.
std::string series_group(const std::string& style, const std::string& label,
                         const std::string& content);

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
  // differ only by rounding count as one.
  std::pair<double, double> range() const;

 private:
  bool any_ = false;
  double low_ = 0, high_ = 0;
};

// Curves with more points are thinned to this many.
inline constexpr std::size_t kMostPoints = 2000;

// The indices of the points of a curve that are drawn: all of them, or kMostPoints evenly spaced
// ones including the last. Points are dropped, never averaged.
std::vector<std::size_t> drawn_points(std::size_t count);

// Round numbers in [low, high], about `count` of them and never more than 50, and their texts.
std::vector<double> ticks(double low, double high, int count);
std::vector<std::string> tick_texts(const std::vector<double>& ticks);

// Ticks of a horizontal axis and their texts, as many as fit side by side in `room` pixels.
struct AxisTicks {
  std::vector<double> at;
  std::vector<std::string> texts;
};

AxisTicks fitting_ticks(double low, double high, double room, bool counts);
// The names at 0, 1, ...: all, or every second, third, ... if they would overlap.
AxisTicks named_ticks(const std::vector<std::string>& names, double room);

}  // namespace tarl::report
