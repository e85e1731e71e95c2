// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cmath>

#include "tarl/report/figures/svg.h"
#include "tarl/report/figures/svg_parts.h"
#include "tarl/report/text.h"

namespace tarl::report {

namespace {

constexpr double kTop = 28, kRowHeight = 22, kAxisHeight = 36;

double row_centre(std::size_t row) {
  return kTop + kRowHeight * (static_cast<double>(row) + 0.5);
}

// Characters, not bytes.
std::size_t text_length(const std::string& text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xC0) != 0x80; }));
}

// Labels on the left, a value axis below that shows the reference; shared by bars and intervals.
Frame row_frame(const std::vector<Bar>& rows, int width, std::optional<double> reference) {
  Extent extent;
  std::size_t label = 0, text = 0;
  for (const Bar& row : rows) {
    extent.add({row.value});
    if (row.range) extent.add({row.range->first, row.range->second});
    label = std::max(label, text_length(row.label));
    text = std::max(text, text_length(row.text));
  }
  if (reference) extent.add({*reference});
  auto [low, high] = extent.range();
  const double pad = 0.06 * (high - low);
  // Bars start at the edge: no room on the side of the reference.
  if (low != reference) low -= pad;
  if (high != reference) high += pad;
  const double left = std::min(0.55 * width, 12 + 6.7 * static_cast<double>(label));
  const double right = width - 14 - 6.7 * static_cast<double>(text);
  const double bottom = kTop + kRowHeight * static_cast<double>(rows.size());
  return {left, right, kTop, bottom, low, high, 0, 1};
}

std::string draw_axes(const std::vector<Bar>& rows, const std::string& title,
                      const std::string& x_label, const Frame& frame) {
  std::string out = text_element("t", 4, 15, title);
  const std::vector<double> xs = ticks(frame.x_low, frame.x_high, 4);
  const std::vector<std::string> texts = tick_texts(xs);
  for (std::size_t i = 0; i < xs.size(); ++i) {
    const double x = frame.x(xs[i]);
    out += line_element("grid", x, frame.top, x, frame.bottom);
    out += text_element("k mid", x, frame.bottom + 14, texts[i]);
  }
  for (std::size_t i = 0; i < rows.size(); ++i) {
    out += text_element("k end", frame.left - 6, row_centre(i) + 3.5, rows[i].label);
  }
  return out + text_element("a mid", (frame.left + frame.right) / 2, frame.bottom + 28, x_label);
}

// One row: its mark, its whisker, and its text at the right edge.
std::string draw_row(const Bar& row, const std::string& mark, double y, const Frame& frame) {
  std::string out = concat({"<g class=\"", escape_html(row.style), "\">", mark});
  if (row.range) {
    out += line_element("whisker", frame.x(row.range->first), y, frame.x(row.range->second), y);
  }
  out += "</g>";
  if (!row.text.empty()) out += text_element("k", frame.right + 6, y + 3.5, row.text);
  return out;
}

}  // namespace

Drawing draw(const BarPanel& panel) {
  const Frame frame = row_frame(panel.bars, panel.width, 0.0);
  std::string out = open_svg(panel.width, frame.bottom + kAxisHeight, panel.title);
  out += draw_axes(panel.bars, panel.title, panel.x_label, frame);
  for (std::size_t i = 0; i < panel.bars.size(); ++i) {
    const Bar& bar = panel.bars[i];
    std::string mark;
    if (std::isfinite(bar.value)) {
      const double from = frame.x(std::min(0.0, bar.value)), to = frame.x(std::max(0.0, bar.value));
      mark = concat({"<rect class=\"bar\" x=\"", coordinate(from), "\" y=\"",
                     coordinate(row_centre(i) - 7), "\" width=\"", coordinate(to - from),
                     "\" height=\"14\"/>"});
    }
    out += draw_row(bar, mark, row_centre(i), frame);
  }
  out += line_element("axis", frame.x(0), frame.top, frame.x(0), frame.bottom);
  return {out + "</svg>", static_cast<double>(panel.width), frame.bottom + kAxisHeight};
}

Drawing draw(const IntervalPanel& panel) {
  const Frame frame = row_frame(panel.rows, panel.width, panel.reference);
  std::string out = open_svg(panel.width, frame.bottom + kAxisHeight, panel.title);
  out += draw_axes(panel.rows, panel.title, panel.x_label, frame);
  if (panel.reference) {
    const double x = frame.x(*panel.reference);
    out += line_element("axis", x, frame.top, x, frame.bottom);
  }
  for (std::size_t i = 0; i < panel.rows.size(); ++i) {
    const Bar& row = panel.rows[i];
    std::string mark;
    if (std::isfinite(row.value)) {
      mark = concat({"<circle class=\"dot\" cx=\"", coordinate(frame.x(row.value)), "\" cy=\"",
                     coordinate(row_centre(i)), "\" r=\"4\"/>"});
    }
    out += draw_row(row, mark, row_centre(i), frame);
  }
  return {out + "</svg>", static_cast<double>(panel.width), frame.bottom + kAxisHeight};
}

}  // namespace tarl::report
