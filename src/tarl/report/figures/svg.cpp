// SPDX-License-Identifier: MIT
#include "tarl/report/figures/svg.h"

#include <algorithm>
#include <cmath>

#include "tarl/report/figures/svg_parts.h"
#include "tarl/report/text.h"

namespace tarl::report {

namespace {

std::vector<std::string> count_texts(const std::vector<double>& values) {
  std::vector<std::string> texts;
  texts.reserve(values.size());
  for (const double value : values) texts.push_back(short_count(value));
  return texts;
}

std::string draw_axes(const LinePanel& panel, const Frame& frame) {
  std::string out = text_element("t", frame.left, 15, panel.title);
  const std::vector<double> ys = ticks(frame.y_low, frame.y_high, 4);
  const std::vector<std::string> y_texts = tick_texts(ys);
  for (std::size_t i = 0; i < ys.size(); ++i) {
    const double y = frame.y(ys[i]);
    out += line_element("grid", frame.left, y, frame.right, y);
    out += text_element("k end", frame.left - 5, y + 3.5, y_texts[i]);
  }
  const std::vector<double> xs = ticks(frame.x_low, frame.x_high, panel.width < 300 ? 3 : 5);
  const std::vector<std::string> x_texts = panel.counts_on_x ? count_texts(xs) : tick_texts(xs);
  for (std::size_t i = 0; i < xs.size(); ++i) {
    const double x = frame.x(xs[i]);
    out += line_element("axis", x, frame.bottom, x, frame.bottom + 3);
    out += text_element("k mid", x, frame.bottom + 14, x_texts[i]);
  }
  out += line_element("axis", frame.left, frame.bottom, frame.right, frame.bottom);
  const double centre = (frame.left + frame.right) / 2, middle = (frame.top + frame.bottom) / 2;
  if (!panel.x_label.empty())
    out += text_element("a mid", centre, frame.bottom + 28, panel.x_label);
  if (!panel.y_label.empty()) {
    const std::string turn = concat({" transform=\"rotate(-90 ", point(11, middle), ")\""});
    out += text_element("a mid", 11, middle, panel.y_label, turn);
  }
  return out;
}

std::string line_path(const Series& series, const Frame& frame) {
  std::string path;
  bool drawing = false;
  for (const std::size_t i : drawn_points(series.y.size())) {
    const bool known = std::isfinite(series.y[i]);
    if (known) {
      path += drawing ? 'L' : 'M';
      path += point(frame.x(series.x[i]), frame.y(series.y[i]));
    }
    drawing = known;
  }
  return path;
}

// Around the finite part of [low, high]; bands are known everywhere or nowhere.
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

std::string draw_series(const Series& series, const Frame& frame) {
  return concat({"<g class=\"", escape_html(series.style), "\">",
                 path_element("band", band_path(series.x, series.low, series.high, frame)),
                 path_element(series.thin ? "line thin" : "line", line_path(series, frame)),
                 "</g>"});
}

std::string draw_stack(const LinePanel& panel, const Frame& frame) {
  std::string out;
  std::vector<double> below;
  for (const Series& series : panel.series) {
    below.resize(series.y.size(), 0.0);
    std::vector<double> above = below;
    for (std::size_t i = 0; i < above.size(); ++i) above[i] += series.y[i];
    const std::string path = band_path(series.x, below, above, frame);
    out += concat(
        {"<g class=\"", escape_html(series.style), "\">", path_element("area", path), "</g>"});
    below = std::move(above);
  }
  return out;
}

Frame frame_of(const LinePanel& panel) {
  Extent x, y;
  for (const Series& series : panel.series) {
    x.add(series.x);
    y.add(series.y);
    y.add(series.low);
    y.add(series.high);
  }
  auto [x_low, x_high] = panel.x_range.value_or(x.range());
  auto [y_low, y_high] = panel.y_range.value_or(y.range());
  if (!panel.x_range && panel.counts_on_x) x_low = std::min(x_low, 0.0);
  if (!panel.y_range) {
    const double pad = 0.05 * (y_high - y_low);
    y_low = y_low >= 0 && y_low < 0.35 * y_high ? 0 : y_low - pad;
    y_high += pad;
  }
  const double left = panel.y_label.empty() ? 40 : 52;
  const double below = panel.x_label.empty() ? 22 : 36;
  return {left, panel.width - 12.0, 26, panel.height - below, x_low, x_high, y_low, y_high};
}

}  // namespace

Drawing draw(const LinePanel& panel) {
  const Frame frame = frame_of(panel);
  std::string out = open_svg(panel.width, panel.height, panel.title, panel.attributes);
  if (panel.stacked) out += draw_stack(panel, frame);
  out += draw_axes(panel, frame);
  if (!panel.stacked) {
    for (const Series& series : panel.series) out += draw_series(series, frame);
  }
  return {out + "</svg>", static_cast<double>(panel.width), static_cast<double>(panel.height)};
}

}  // namespace tarl::report
