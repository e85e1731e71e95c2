// SPDX-License-Identifier: MIT
#include "tarl/report/figures/figure.h"

#include <algorithm>

#include "tarl/report/figures/svg_parts.h"
#include "tarl/report/page/style.h"
#include "tarl/report/text.h"

namespace tarl::report {

namespace {

constexpr std::string_view kOpenSvg = "<svg ";

constexpr double kGap = 12, kLegendGap = 8, kSwatch = 22;

std::string swatch(const std::string& style, double x, double y) {
  return concat({"<g class=\"", escape_html(style), "\">",
                 line_element("line", x, y, x + kSwatch, y), "</g>"});
}

// Entries from left to right, in as many rows as needed; a label too long for a row is wrapped.
std::string draw_legend(const std::vector<LegendEntry>& legend, double width, double& height) {
  std::string out;
  double x = kGap, y = kGap + 6;
  std::size_t tallest = 1;
  for (const LegendEntry& entry : legend) {
    const auto lines = wrapped(entry.label, kTextSize, width - 2 * kGap - kSwatch - 6);
    const double needed = kSwatch + 6 + widest(lines);
    if (x > kGap && x + needed > width - kGap) {
      x = kGap;
      y += kTextLine * static_cast<double>(tallest) + kLegendGap;
      tallest = 1;
    }
    out += swatch(entry.style, x, y);
    out += text_lines("k", x + kSwatch + 6, y + 3.5, kTextLine, lines);
    tallest = std::max(tallest, lines.size());
    x += needed + 16;
  }
  height = legend.empty() ? 0 : y + kTextLine * static_cast<double>(tallest) - 4;
  return out;
}

// The panel as a nested element at a position in the file.
std::string placed(const Drawing& panel, double x, double y) {
  return concat({kOpenSvg, "x=\"", coordinate(x), "\" y=\"", coordinate(y), "\" ",
                 std::string_view{panel.svg}.substr(kOpenSvg.size())});
}

// How the page lays out panels: those that its script redraws fill the width; all others keep their
// size, as many side by side as fit.
const char* grid_class(const Figure& figure) {
  if (!figure.stretches) return "fixed";
  if (figure.panels.size() <= 2) return figure.panels.size() == 1 ? "one" : "two";
  if (figure.panels.size() % 4 == 0) return "even";
  return figure.panels.size() % 3 == 0 ? "three" : "";
}

}  // namespace

std::string legend_html(const std::vector<LegendEntry>& legend) {
  std::string out = "<ul class=\"legend\">";
  for (const LegendEntry& entry : legend) {
    out += concat({"<li><button type=\"button\" aria-pressed=\"true\" data-s=\"",
                   escape_html(entry.label),
                   "\"><svg width=\"26\" height=\"10\" viewBox=\"0 0 26 10\" aria-hidden=\"true\">",
                   swatch(entry.style, 2, 5), "</svg><span>", escape_html(entry.label),
                   "</span></button></li>"});
  }
  return out + "</ul>";
}

std::string figure_html(const Figure& figure) {
  std::string out = concat(
      {"<figure id=\"", escape_html(figure.id), "\"><h3>", escape_html(figure.title), "</h3>"});
  if (!figure.legend.empty()) out += legend_html(figure.legend);
  out += concat({"<div class=\"panels ", grid_class(figure), "\">"});
  for (const Drawing& panel : figure.panels) out += panel.svg;
  return out +
         concat({"</div><figcaption>", escape_html(figure.caption), "</figcaption></figure>"});
}

std::string figure_file(const Figure& figure) {
  const std::size_t columns =
      std::clamp<std::size_t>(figure.panels.size(), 1, static_cast<std::size_t>(figure.columns));
  double cell = 0;
  for (const Drawing& panel : figure.panels) cell = std::max(cell, panel.width);
  const double width = static_cast<double>(columns) * (cell + kGap) + kGap;
  double y = 0;
  std::string body = draw_legend(figure.legend, width, y);
  for (std::size_t row = 0; row < figure.panels.size(); row += columns) {
    const std::size_t end = std::min(row + columns, figure.panels.size());
    double tallest = 0;
    for (std::size_t i = row; i < end; ++i) tallest = std::max(tallest, figure.panels[i].height);
    for (std::size_t i = row; i < end; ++i) {
      const Drawing& panel = figure.panels[i];
      // Curves are aligned at the bottom, however many lines their titles have; rows at the top.
      const double top = y + kGap + (figure.stretches ? tallest - panel.height : 0);
      body += placed(panel, kGap + static_cast<double>(i - row) * (cell + kGap), top);
    }
    y += tallest + kGap;
  }
  const std::string w = coordinate(width), h = coordinate(y + kGap);
  return concat({"<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"", w, "\" height=\"", h,
                 "\" viewBox=\"0 0 ", w, " ", h, "\"><title>", escape_html(figure.title),
                 "</title><style>", svg_file_style(), "</style><rect width=\"", w, "\" height=\"",
                 h, "\" fill=\"#fff\"/>", body, "</svg>\n"});
}

}  // namespace tarl::report
