// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cmath>

#include "tarl/report/figures/svg.h"
#include "tarl/report/figures/svg_parts.h"
#include "tarl/report/text.h"

namespace tarl::report {

namespace {

constexpr double kRowHeight = 22, kRowPadding = 8, kBarHalf = 7, kCapHalf = 4;
constexpr double kSmallDotsBelow = 7;  // clear of the whisker

// Labels on the left, in as many lines as needed, a value axis below, texts on the right; shared by
// bars and intervals.
struct RowLayout {
  Frame frame;
  Heading title;
  std::vector<std::vector<std::string>> labels;
  std::vector<double> centres;
  AxisTicks axis;
  std::vector<std::string> x_label;
  double width = 0, height = 0;
};

// The range of the values and of the reference, which the axis has to show.
Frame value_range(const std::vector<Bar>& rows, std::optional<double> reference) {
  Extent extent;
  for (const Bar& row : rows) {
    extent.add({row.value});
    if (row.range) extent.add({row.range->first, row.range->second});
    extent.add(row.points);
  }
  if (reference) extent.add({*reference});
  auto [low, high] = extent.range();
  const double pad = 0.06 * (high - low);
  // Bars start at the edge: no padding on the side of the reference.
  if (low != reference) low -= pad;
  if (high != reference) high += pad;
  return {0, 0, 0, 0, low, high, 0, 1};
}

void place_rows(const std::vector<Bar>& rows, RowLayout& layout) {
  double y = layout.frame.top;
  for (const Bar& row : rows) {
    layout.labels.push_back(wrapped(row.label, kTextSize, layout.frame.left - 10));
    const double lines = kTextLine * static_cast<double>(layout.labels.back().size());
    const double height = std::max(kRowHeight, lines + kRowPadding);
    layout.centres.push_back(y + height / 2);
    y += height;
  }
  layout.frame.bottom = y;
}

RowLayout row_layout(const std::vector<Bar>& rows, const std::string& title,
                     const std::string& x_label, int width, std::optional<double> reference) {
  RowLayout layout;
  Frame& frame = layout.frame = value_range(rows, reference);
  layout.width = width;
  layout.title = heading(title, layout.width);
  frame.top = layout.title.height + 10;
  std::vector<std::string> labels, texts;
  for (const Bar& row : rows) {
    labels.push_back(row.label);
    texts.push_back(row.text);
  }
  frame.left = std::clamp(widest(labels) + 12, 24.0, 0.45 * layout.width);
  frame.right = layout.width - 14 - widest(texts);
  layout.axis = fitting_ticks(frame.x_low, frame.x_high, frame.right - frame.left, false);
  frame.right = std::min(frame.right, layout.width - widest(layout.axis.texts) / 2 - 2);
  place_rows(rows, layout);
  layout.x_label = wrapped(x_label, kTextSize, layout.width - 16);
  layout.height = frame.bottom + 24 +
                  kTextLine * static_cast<double>(std::max<std::size_t>(1, layout.x_label.size()));
  return layout;
}

std::string draw_axes(const RowLayout& layout) {
  const Frame& frame = layout.frame;
  std::string out = layout.title.svg;
  for (std::size_t i = 0; i < layout.axis.at.size(); ++i) {
    const double x = frame.x(layout.axis.at[i]);
    out += line_element("grid", x, frame.top, x, frame.bottom);
    out += text_element("k mid", x, frame.bottom + 14, layout.axis.texts[i]);
  }
  for (std::size_t i = 0; i < layout.labels.size(); ++i) {
    const std::vector<std::string>& lines = layout.labels[i];
    const double above = kTextLine * (static_cast<double>(lines.size()) - 1) / 2;
    out += text_lines("k end", frame.left - 6, layout.centres[i] + 3.5 - above, kTextLine, lines);
  }
  // Below the axis, unless it is too long.
  const double half = widest(layout.x_label) / 2 + 2;
  const double centre =
      std::clamp((frame.left + frame.right) / 2, half, std::max(half, layout.width - half));
  return out + text_lines("a mid", centre, frame.bottom + 29, kTextLine, layout.x_label);
}

// A line with caps, visible on a bar as well.
std::string whisker(const Bar& row, double y, const Frame& frame) {
  if (!row.range) return "";
  const double from = frame.x(row.range->first), to = frame.x(row.range->second);
  return concat({line_element("whisker", from, y, to, y),
                 line_element("whisker", from, y - kCapHalf, from, y + kCapHalf),
                 line_element("whisker", to, y - kCapHalf, to, y + kCapHalf)});
}

std::string small_dots(const Bar& row, double y, const Frame& frame) {
  std::string out;
  for (const double value : row.points) {
    out += circle_element("seed", frame.x(value), y + kSmallDotsBelow, 2.4);
  }
  return out;
}

// One row: its mark, its whisker, and its text at the right edge.
std::string draw_row(const Bar& row, const std::string& mark, double y, const Frame& frame) {
  std::string out = series_group(row.style, "", concat({mark, whisker(row, y, frame)}));
  if (!row.text.empty()) out += text_element("k", frame.right + 6, y + 3.5, row.text);
  return out;
}

}  // namespace

Drawing draw(const BarPanel& panel) {
  const RowLayout layout = row_layout(panel.bars, panel.title, panel.x_label, panel.width, 0.0);
  const Frame& frame = layout.frame;
  std::string out = open_svg(layout.width, layout.height, panel.title);
  out += draw_axes(layout);
  for (std::size_t i = 0; i < panel.bars.size(); ++i) {
    const Bar& bar = panel.bars[i];
    const double y = layout.centres[i];
    std::string mark;
    if (std::isfinite(bar.value)) {
      const double from = frame.x(std::min(0.0, bar.value)), to = frame.x(std::max(0.0, bar.value));
      mark = concat({"<rect class=\"bar\" x=\"", coordinate(from), "\" y=\"",
                     coordinate(y - kBarHalf), "\" width=\"", coordinate(to - from), "\" height=\"",
                     coordinate(2 * kBarHalf), "\"/>"});
    }
    out += draw_row(bar, mark, y, frame);
  }
  out += line_element("axis", frame.x(0), frame.top, frame.x(0), frame.bottom);
  return {out + "</svg>", layout.width, layout.height};
}

Drawing draw(const IntervalPanel& panel) {
  const RowLayout layout =
      row_layout(panel.rows, panel.title, panel.x_label, panel.width, panel.reference);
  const Frame& frame = layout.frame;
  std::string out = open_svg(layout.width, layout.height, panel.title);
  out += draw_axes(layout);
  if (panel.reference) {
    const double x = frame.x(*panel.reference);
    out += line_element("axis", x, frame.top, x, frame.bottom);
  }
  for (std::size_t i = 0; i < panel.rows.size(); ++i) {
    const Bar& row = panel.rows[i];
    const double y = layout.centres[i];
    std::string mark;
    if (std::isfinite(row.value)) {
      mark = small_dots(row, y, frame) + circle_element("dot", frame.x(row.value), y, 4);
    }
    out += draw_row(row, mark, y, frame);
  }
  return {out + "</svg>", layout.width, layout.height};
}

}  // namespace tarl::report
