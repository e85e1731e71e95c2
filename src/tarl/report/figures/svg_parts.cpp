// SPDX-License-Identifier: MIT
#include "tarl/report/figures/svg_parts.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

#include "tarl/report/text.h"

namespace tarl::report {

namespace {

constexpr double kApart = 8;  // minimum gap between axis labels

constexpr int kMostTicks = 50;

// Beyond these no figure can show a difference, and axis arithmetic breaks down: sums overflow,
// steps vanish in rounding.
constexpr double kFarthestPixel = 99'999;
constexpr double kLargest = 1e300, kSmallestSpread = 1e-300;
constexpr double kFinest = 1e-9;  // relative to the magnitude

double magnitude(double low, double high) {
  return std::max(std::fabs(low), std::fabs(high));
}

bool is_visible_spread(double low, double high) {
  return high - low > kSmallestSpread && high - low > kFinest * magnitude(low, high);
}

}  // namespace

std::string coordinate(double value) {
  const double drawn = std::isnan(value) ? 0 : std::clamp(value, -kFarthestPixel, kFarthestPixel);
  std::array<char, 32> text;
  std::snprintf(text.data(), text.size(), "%.1f", drawn);
  std::string out = text.data();
  if (out.ends_with(".0")) out.resize(out.size() - 2);
  return out == "-0" ? "0" : out;
}

std::string point(double x, double y) {
  return concat({coordinate(x), " ", coordinate(y)});
}

std::string text_element(const std::string& style, double x, double y, const std::string& text,
                         const std::string& attributes) {
  return concat({"<text class=\"", style, "\" x=\"", coordinate(x), "\" y=\"", coordinate(y), "\"",
                 attributes, ">", escape_html(text), "</text>"});
}

std::string line_element(const std::string& style, double x1, double y1, double x2, double y2) {
  return concat({"<path class=\"", style, "\" d=\"M", point(x1, y1), "L", point(x2, y2), "\"/>"});
}

std::string circle_element(const std::string& style, double x, double y, double radius) {
  return concat({"<circle class=\"", style, "\" cx=\"", coordinate(x), "\" cy=\"", coordinate(y),
                 "\" r=\"", coordinate(radius), "\"/>"});
}

std::string open_svg(double width, double height, const std::string& title,
                     const std::string& attributes) {
  return concat({"<svg class=\"plot\" width=\"", coordinate(width), "\" height=\"",
                 coordinate(height), "\" viewBox=\"0 0 ", point(width, height),
                 "\" role=\"img\" aria-label=\"", escape_html(title), "\"", attributes, ">"});
}

std::string text_lines(const std::string& style, double x, double y, double line,
                       const std::vector<std::string>& lines) {
  std::string out;
  for (const std::string& text : lines) {
    out += text_element(style, x, y, text);
    y += line;
  }
  return out;
}

Heading heading(const std::string& title, double width) {
  constexpr double kMargin = 4;
  if (title.empty()) return {"", 0};
  const auto lines = wrapped(title, kTitleSize, width - 2 * kMargin, Weight::kBold);
  return {text_lines("t", kMargin, kTitleSize + 1, kTitleLine, lines),
          kTitleLine * static_cast<double>(lines.size())};
}

double widest(const std::vector<std::string>& texts) {
  double width = 0;
  for (const std::string& text : texts) width = std::max(width, text_width(text, kTextSize));
  return width;
}

std::string series_group(const std::string& style, const std::string& label,
                         const std::string& content) {
  return concat({"<g class=\"", escape_html(style), "\"",
                 label.empty() ? "" : concat({" data-s=\"", escape_html(label), "\""}), ">",
                 content, "</g>"});
}

void Extent::add(const std::vector<double>& values) {
  for (const double value : values) {
    if (!std::isfinite(value)) continue;
    const double shown = std::clamp(value, -kLargest, kLargest);
    low_ = any_ ? std::min(low_, shown) : shown;
    high_ = any_ ? std::max(high_, shown) : shown;
    any_ = true;
  }
}

std::pair<double, double> Extent::range() const {
  if (!any_) return {0, 1};
  if (is_visible_spread(low_, high_)) return {low_, high_};
  const double room = std::max(0.5, 10 * kFinest * magnitude(low_, high_));
  return {low_ - room, high_ + room};
}

std::vector<std::size_t> drawn_points(std::size_t count) {
  const std::size_t drawn = std::min(count, kMostPoints);
  std::vector<std::size_t> positions(drawn);
  for (std::size_t i = 0; i < drawn; ++i) {
    positions[i] = ((i + 1) * count + drawn - 1) / drawn - 1;
  }
  return positions;
}

std::vector<double> ticks(double low, double high, int count) {
  if (std::isnan(low) || std::isnan(high)) return {};
  low = std::clamp(low, -kLargest, kLargest);
  high = std::clamp(high, -kLargest, kLargest);
  if (!is_visible_spread(low, high)) return {low};
  const double rough = (high - low) / count;
  const double power = std::pow(10.0, std::floor(std::log10(rough)));
  double step = power;
  for (const double factor : {1.0, 2.0, 2.5, 5.0, 10.0}) {
    step = factor * power;
    if (step >= rough * 0.999) break;
  }
  std::vector<double> out;
  const double first = std::ceil(low / step - 1e-9), last = std::floor(high / step + 1e-9);
  // An integer counter: a double would stop counting once 1 is lost to rounding.
  for (int k = 0; k < kMostTicks && first + k <= last; ++k) {
    out.push_back((first + k) * step + 0.0);  // never -0
  }
  return out;
}

std::vector<std::string> tick_texts(const std::vector<double>& ticks) {
  const double step = ticks.size() > 1 ? ticks[1] - ticks[0] : 1;
  int digits = 0;
  for (double scaled = step; digits < 6 && std::fabs(scaled - std::round(scaled)) > 1e-6;) {
    scaled *= 10;
    ++digits;
  }
  std::vector<std::string> texts;
  texts.reserve(ticks.size());
  for (const double value : ticks) {
    texts.push_back(std::fabs(value) >= 1000 ? short_count(value) : fixed(value, digits));
  }
  return texts;
}

AxisTicks fitting_ticks(double low, double high, double room, bool counts) {
  AxisTicks axis;
  for (int count = 6; count > 0; --count) {
    axis.at = ticks(low, high, count);
    axis.texts.clear();
    if (counts) {
      for (const double value : axis.at) axis.texts.push_back(short_count(value));
    } else {
      axis.texts = tick_texts(axis.at);
    }
    const double step = axis.at.size() > 1 ? (axis.at[1] - axis.at[0]) / (high - low) : 1;
    if (widest(axis.texts) + kApart <= step * room) break;
  }
  return axis;
}

AxisTicks named_ticks(const std::vector<std::string>& names, double room) {
  const double each = room / static_cast<double>(names.size());
  const auto apart = static_cast<std::size_t>(std::ceil((widest(names) + kApart) / each));
  AxisTicks axis;
  for (std::size_t i = 0; i < names.size(); i += std::max<std::size_t>(1, apart)) {
    axis.at.push_back(static_cast<double>(i));
    axis.texts.push_back(names[i]);
  }
  return axis;
}

}  // namespace tarl::report
