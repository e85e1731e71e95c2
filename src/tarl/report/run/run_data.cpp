// SPDX-License-Identifier: MIT
#include <algorithm>
#include <utility>

#include "tarl/report/run/run_page.h"
#include "tarl/report/text.h"

namespace tarl::report {

namespace {

std::string number_list(const std::vector<double>& values, int digits) {
  std::string out = "[";
  for (const double value : values) {
    if (out.size() > 1) out += ',';
    out += json_number(value, digits);
  }
  return out + "]";
}

std::string json_line_of(const Series& series, bool smooths) {
  std::string out = concat({"{\"line\":", number_list(series.y, 5)});
  if (!series.low.empty()) {
    out += concat(
        {",\"low\":", number_list(series.low, 5), ",\"high\":", number_list(series.high, 5)});
  }
  return concat({out, ",\"thin\":", series.thin ? "true" : "false",
                 ",\"smooths\":", smooths ? "true" : "false", "}"});
}

// Every kind of line on the page, in the form in which the script knows algorithms: label and
// style.
class LineKinds {
 public:
  explicit LineKinds(const RunFigures& figures) {
    for (const RunFigure* figure : figures.all()) {
      for (const LinePanel& panel : figure->panels) {
        for (const Series& series : panel.series) add(series);
      }
    }
  }

  std::string json() const {
    std::string out = "[";
    for (const auto& [label, style] : kinds_) {
      out += concat({out.size() > 1 ? "," : "", "{\"label\":", json_string(label),
                     ",\"style\":", json_string(style), "}"});
    }
    return out + "]";
  }

  // One cell per kind, null if the panel has no such line.
  std::string cells(const LinePanel& panel, bool smooths) const {
    std::string out = "[";
    for (const auto& [label, style] : kinds_) {
      const auto series = std::find_if(panel.series.begin(), panel.series.end(),
                                       [&, &name = label, &look = style](const Series& one) {
                                         return one.label == name && one.style == look;
                                       });
      if (out.size() > 1) out += ',';
      out += series == panel.series.end() ? "null" : json_line_of(*series, smooths);
    }
    return out + "]";
  }

 private:
  void add(const Series& series) {
    const std::pair kind(series.label, series.style);
    if (std::find(kinds_.begin(), kinds_.end(), kind) == kinds_.end()) kinds_.push_back(kind);
  }

  std::vector<std::pair<std::string, std::string>> kinds_;
};

}  // namespace

std::string run_page_data(const RunFigures& figures) {
  const LineKinds kinds(figures);
  std::string panels;
  for (const RunFigure* figure : figures.all()) {
    for (const LinePanel& panel : figure->panels) {
      if (panel.stacked) continue;
      panels += concat({panels.empty() ? "" : ",", "{\"title\":", json_string(panel.title),
                        ",\"quantity\":", json_string(panel.y_label),
                        ",\"x\":", number_list(panel.series.front().x, 12),
                        ",\"cells\":", kinds.cells(panel, figure->smooths), "}"});
    }
  }
  return concat(
      {"{\"algorithms\":", kinds.json(), ",\"shown\":[],\"environments\":[", panels, "]}"});
}

}  // namespace tarl::report
