// SPDX-License-Identifier: MIT
#include "tarl/report/figures/svg.h"

#include <algorithm>
#include <cmath>

#include "tarl/report/figures/svg_parts.h"
#include "tarl/report/text.h"

namespace tarl::report {

namespace {

// Positions of a line panel's parts.
struct Layout {
  Frame frame;
  Heading title;
  std::vector<double> ys;
  std::vector<std::string> y_texts;
  std::vector<std::string> x_label, y_label;  // in lines
  AxisTicks x_axis;
  double width = 0, height = 0;
};

std::string draw_axes(const Layout& layout) {
  const Frame& frame = layout.frame;
  std::string out = layout.title.svg;
  for (std::size_t i = 0; i < layout.ys.size(); ++i) {
    const double y = frame.y(layout.ys[i]);
    out += line_element("grid", frame.left, y, frame.right, y);
    out += text_element("k end", frame.left - 5, y + 3.5, layout.y_texts[i]);
  }
  for (std::size_t i = 0; i < layout.x_axis.at.size(); ++i) {
    const double x = frame.x(layout.x_axis.at[i]);
    out += line_element("axis", x, frame.bottom, x, frame.bottom + 3);
    out += text_element("k mid", x, frame.bottom + 14, layout.x_axis.texts[i]);
  }
  out += line_element("axis", frame.left, frame.bottom, frame.right, frame.bottom);
  const double centre = (frame.left + frame.right) / 2, middle = (frame.top + frame.bottom) / 2;
  out += text_lines("a mid", centre, frame.bottom + 29, kTextLine, layout.x_label);
  double x = 11;
  for (const std::string& line : layout.y_label) {
    const std::string turn = concat({" transform=\"rotate(-90 ", point(x, middle), ")\""});
    out += text_element("a mid", x, middle, line, turn);
    x += kTextLine;
  }
  return out;
}

// A point without a neighbour is drawn as a short stroke: a line of one point is invisible.
std::string line_path(const Series& series, const Frame& frame) {
  constexpr double kHalfStroke = 3;
  const std::vector<std::size_t> positions = drawn_points(series.y.size());
  const auto known = [&](std::size_t k) {
    return k < positions.size() && std::isfinite(series.y[positions[k]]);
  };
  std::string path;
  for (std::size_t k = 0; k < positions.size(); ++k) {
    if (!known(k)) continue;
    const double x = frame.x(series.x[positions[k]]), y = frame.y(series.y[positions[k]]);
    const bool goes_on = k > 0 && known(k - 1);
    if (goes_on || known(k + 1)) {
      path += concat({goes_on ? "L" : "M", point(x, y)});
    } else {
      path += concat({"M", point(x - kHalfStroke, y), "L", point(x + kHalfStroke, y)});
    }
  }
  return path;
}

// Around the finite part of [low, high]; low and high are finite at the same points.
std::string band_path(const std::vector<double>& x, const std::vector<double>& low,
                      const std::vector<double>& high, const Frame& frame) {
  std::string path;
  const auto add = [&](std::size_t i, const std::vector<double>& edge) {
    if (!std::isfinite(low[i]) || !std::isfinite(high[i])) return;
    path += path.empty() ? 'M' : 'L';
    path += point(frame.x(x[i]), frame.y(edge[i]));
  };
  const std::vector<std::size_t> positions = drawn_points(low.size());
  for (const std::size_t i : positions) add(i, high);
  for (auto i = positions.rbegin(); i != positions.rend(); ++i) add(*i, low);
  return path.empty() ? path : path + 'Z';
}

std::string path_element(const char* style, const std::string& path) {
  return path.empty() ? "" : concat({"<path class=\"", style, "\" d=\"", path, "\"/>"});
}

std::string dots_of(const Series& series, const Frame& frame) {
  std::string out;
  for (std::size_t i = 0; series.dots && i < series.y.size(); ++i) {
    if (std::isfinite(series.y[i])) {
      out += circle_element("dot", frame.x(series.x[i]), frame.y(series.y[i]), 3.5);
    }
  }
  return out;
}

std::string draw_series(const Series& series, const Frame& frame) {
  return series_group(
      series.style, series.label,
      concat({path_element("band", band_path(series.x, series.low, series.high, frame)),
              path_element(series.thin ? "line thin" : "line", line_path(series, frame)),
              dots_of(series, frame)}));
}

std::string draw_stack(const LinePanel& panel, const Frame& frame) {
  std::string out;
  std::vector<double> below;
  for (const Series& series : panel.series) {
    below.resize(series.y.size(), 0.0);
    std::vector<double> above = below;
    for (std::size_t i = 0; i < above.size(); ++i) above[i] += series.y[i];
    const std::string path = band_path(series.x, below, above, frame);
    out += series_group(series.style, series.label, path_element("area", path));
    below = std::move(above);
  }
  return out;
}

// The data ranges of the axes; the rectangle comes later.
Frame extent_of(const LinePanel& panel) {
  Extent x, y;
  for (const Series& series : panel.series) {
    x.add(series.x);
    y.add(series.y);
    y.add(series.low);
    y.add(series.high);
  }
  auto [x_low, x_high] = panel.x_range.value_or(x.range());
  if (!panel.x_names.empty()) {
    x_low = -0.3;
    x_high = static_cast<double>(panel.x_names.size()) - 0.7;
  }
  auto [y_low, y_high] = panel.y_range.value_or(y.range());
  if (!panel.x_range && panel.counts_on_x && panel.x_names.empty()) x_low = std::min(x_low, 0.0);
  if (!panel.y_range) {
    const double pad = 0.05 * (y_high - y_low);
    y_low = y_low >= 0 && y_low < 0.35 * y_high ? 0 : y_low - pad;
    y_high += pad;
  }
  return {0, 0, 0, 0, x_low, x_high, y_low, y_high};
}

double height_of(const std::vector<std::string>& lines) {
  return kTextLine * static_cast<double>(lines.size());
}

Layout layout_of(const LinePanel& panel) {
  Layout layout;
  Frame& frame = layout.frame = extent_of(panel);
  layout.width = panel.width;
  layout.title = heading(panel.title, layout.width);
  frame.top = layout.title.height + 10;
  const double plot = panel.height - 26.0 - (panel.x_label.empty() ? 22 : 36);
  frame.bottom = frame.top + plot;
  layout.ys = ticks(frame.y_low, frame.y_high, panel.height < 180 ? 3 : 4);
  layout.y_texts = tick_texts(layout.ys);
  if (!panel.y_label.empty()) layout.y_label = wrapped(panel.y_label, kTextSize, plot);
  frame.left = 9 + height_of(layout.y_label) + widest(layout.y_texts);
  frame.right = layout.width - 12;
  layout.x_axis = panel.x_names.empty() ? fitting_ticks(frame.x_low, frame.x_high,
                                                        frame.right - frame.left, panel.counts_on_x)
                                        : named_ticks(panel.x_names, frame.right - frame.left);
  frame.right = layout.width - std::max(12.0, widest(layout.x_axis.texts) / 2 + 2);
  if (!panel.x_label.empty()) {
    layout.x_label = wrapped(panel.x_label, kTextSize, frame.right - frame.left);
  }
  layout.height = frame.bottom + 22 + height_of(layout.x_label);
  return layout;
}

std::string draw_shade(const LinePanel& panel, const Frame& frame) {
  if (!panel.shaded_to) return "";
  const double right = std::min(frame.right, frame.x(*panel.shaded_to));
  if (right <= frame.left) return "";
  return concat({"<rect class=\"untrained\" x=\"", coordinate(frame.left), "\" y=\"",
                 coordinate(frame.top), "\" width=\"", coordinate(right - frame.left),
                 "\" height=\"", coordinate(frame.bottom - frame.top), "\"/>"});
}

}  // namespace

Drawing draw(const LinePanel& panel) {
  const Layout layout = layout_of(panel);
  std::string out = open_svg(layout.width, layout.height, panel.title, panel.attributes);
  out += draw_shade(panel, layout.frame);
  if (panel.stacked) out += draw_stack(panel, layout.frame);
  out += draw_axes(layout);
  if (!panel.stacked) {
    for (const Series& series : panel.series) out += draw_series(series, layout.frame);
  }
  return {out + "</svg>", layout.width, layout.height};
}

}  // namespace tarl::report
