// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "tarl/report/figures/svg.h"

namespace tarl::report {

struct LegendEntry {
  std::string label, style;
};

// Panels side by side with a legend: one figure of the page and one file.
struct Figure {
  std::string id;  // file name and anchor
  std::string title, caption;
  std::vector<Drawing> panels;
  std::vector<LegendEntry> legend;
  int columns = 3;         // in the file
  bool stretches = false;  // the page's script redraws the panels to fit the screen
};

std::string figure_html(const Figure& figure);
std::string figure_file(const Figure& figure);  // standalone, light colours
std::string legend_html(const std::vector<LegendEntry>& legend);

}  // namespace tarl::report
