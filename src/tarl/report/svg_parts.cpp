// SPDX-License-Identifier: MIT
#include "tarl/report/svg_parts.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

#include "tarl/report/text.h"

namespace tarl::report {

std::string coordinate(double value) {
  std::array<char, 32> text;
  std::snprintf(text.data(), text.size(), "%.1f", value);
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

std::string open_svg(int width, double height, const std::string& title,
                     const std::string& attributes) {
  return concat({"<svg class=\"plot\" viewBox=\"0 0 ", point(width, height),
                 "\" role=\"img\" aria-label=\"", escape_html(title), "\"", attributes, ">"});
}

void Extent::add(const std::vector<double>& values) {
  for (const double value : values) {
    if (!std::isfinite(value)) continue;
    low_ = any_ ? std::min(low_, value) : value;
    high_ = any_ ? std::max(high_, value) : value;
    any_ = true;
  }
}

std::pair<double, double> Extent::range() const {
  if (!any_) return {0, 1};
  return low_ == high_ ? std::pair(low_ - 0.5, high_ + 0.5) : std::pair(low_, high_);
}

std::vector<double> ticks(double low, double high, int count) {
  if (!(high > low)) return {low};
  const double rough = (high - low) / count;
  const double power = std::pow(10.0, std::floor(std::log10(rough)));
  double step = power;
  for (const double factor : {1.0, 2.0, 2.5, 5.0, 10.0}) {
    step = factor * power;
    if (step >= rough * 0.999) break;
  }
  std::vector<double> out;
  const double first = std::ceil(low / step - 1e-9), last = std::floor(high / step + 1e-9);
  for (double k = first; k <= last; ++k) out.push_back(k * step + 0.0);  // never -0
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

}  // namespace tarl::report
