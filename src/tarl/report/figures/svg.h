// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace tarl::report {

// Charts as SVG text. Colours are classes (c0..c9, muted) that the page's or the file's own style
// sheet defines, so that one drawing works in light and dark.

// An <svg> element and the size of its view box.
struct Drawing {
  std::string svg;
  double width = 0, height = 0;
};

// A line with an optional band. Non-finite y values break the line; very long lines are thinned
// (drawn_points).
struct Series {
  std::string label;
  std::string style;  // classes: colour and "dash" or "dots"
  std::vector<double> x, y;
  std::vector<double> low, high;  // empty: no band
  bool thin = false;
  bool dots = false;  // at its points
};

// Fits a phone's screen: pages show panels at their natural size, so that text has the same size
// everywhere. Titles and labels that need more lines make a panel taller.
inline constexpr int kPanelWidth = 310, kPanelHeight = 210;
inline constexpr int kSmallWidth = 208, kSmallHeight = 150;

struct LinePanel {
  std::string title, x_label, y_label;
  std::vector<Series> series;
  std::optional<std::pair<double, double>> x_range, y_range;  // default: what the data needs
  bool counts_on_x = true;                                    // "500k", "1M"
  std::vector<std::string> x_names;  // categories on x, side by side, instead of a scale
  bool stacked = false;              // areas on top of each other instead of lines
  int width = kPanelWidth, height = kPanelHeight;
  std::optional<double> shaded_to;  // x up to which there was no learning
  std::string attributes;           // for the <svg> element
};

Drawing draw(const LinePanel& panel);

struct Bar {
  std::string label;
  std::string style;
  double value = 0;
  std::optional<std::pair<double, double>> range;  // whisker
  std::string text;                                // written at its end
  std::vector<double> points{};                    // small dots: the values behind it
};

// Horizontal bars from zero.
struct BarPanel {
  std::string title, x_label;
  std::vector<Bar> bars;
  int width = kPanelWidth;
};

Drawing draw(const BarPanel& panel);

// Points with intervals, one row each.
struct IntervalPanel {
  std::string title, x_label;
  std::vector<Bar> rows;
  std::optional<double> reference;  // a vertical line
  int width = kPanelWidth;
};

Drawing draw(const IntervalPanel& panel);

}  // namespace tarl::report
