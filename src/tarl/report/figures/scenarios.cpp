// SPDX-License-Identifier: MIT
#include <algorithm>

#include "tarl/align/align.h"
#include "tarl/report/figures/figures.h"
#include "tarl/report/figures/svg_parts.h"
#include "tarl/report/text.h"

namespace tarl::report {

namespace {

constexpr int kWidth = 320, kHeight = 280;

// Where the two targets lie on the value axis, in units of the online error; the prediction is 0.
struct Scenario {
  const char* title;
  const char* verdict;
  double online, offline;
};

constexpr Scenario kScenarios[] = {
    {"I  perfect", "supported", 1.0, 1.0},
    {"II  undershoot", "supported", 1.0, 0.5},
    {"III  overshoot", "supported in part", 0.6, 1.2},
    {"IV  misaligned", "not supported", 0.8, -0.6},
};

// One scenario on a value axis, at height `top` of the drawing.
std::string draw_scenario(const Scenario& scenario, double top) {
  const auto x = [](double value) { return 152 + 54 * value; };
  const double score = align::alignment_score(scenario.online, scenario.offline);
  const double axis = top + 53;
  std::string out = text_element("k", 4, top + 20, scenario.title);
  out += text_element("k", 4, top + 36, concat({"A = ", fixed(score, 2)}));
  out += text_element("k", 4, top + 52, scenario.verdict);
  out += line_element("grid", 112, axis, kWidth - 8, axis);
  out += line_element("whisker muted", x(0), top + 10, x(0), axis);
  out += error_arrow("c0", x(0), x(scenario.online), top + 22);
  out += error_arrow("c1", x(0), x(scenario.offline), top + 42);
  const double online_text = x(scenario.online) + 8;
  const double offline_text = x(std::max(0.0, scenario.offline)) + 8;
  out += text_element("k c0", online_text, top + 26, "online error δ");
  return out + text_element("k c1", offline_text, top + 46, "offline error δ̄");
}

Drawing draw_scenarios() {
  std::string out = open_svg(kWidth, kHeight, "The four scenarios");
  out += heading("The four scenarios, from the prediction Q(s, a)", kWidth).svg;
  double top = 34;
  for (const Scenario& scenario : kScenarios) {
    out += draw_scenario(scenario, top);
    top += 61;
  }
  return {out + "</svg>", kWidth, kHeight};
}

// The score by ratio of offline to online error; it jumps where the offline error changes sign.
Drawing draw_score() {
  LinePanel panel;
  panel.title = "The score by ratio of the errors";
  panel.x_label = "ρ = offline error / online error";
  panel.y_label = "alignment A";
  panel.counts_on_x = false;
  panel.x_range = {-3, 4};
  panel.y_range = {0, 1.05};
  panel.width = kWidth;
  panel.height = kHeight;
  for (const bool positive : {false, true}) {
    Series series;
    series.style = "c0";
    for (int i = 0; i <= 80; ++i) {
      const double ratio = positive ? 4.0 * (i + 1e-6) / 80 : -3.0 + 3.0 * i / 80;
      series.x.push_back(ratio);
      series.y.push_back(align::alignment_score(1.0, ratio));
    }
    panel.series.push_back(std::move(series));
  }
  return draw(panel);
}

}  // namespace

std::string error_arrow(const char* style, double from, double to, double y) {
  const double head = to > from ? -6 : 6;
  return concat({"<g class=\"", style, "\">", line_element("line", from, y, to, y),
                 "<path class=\"bar\" d=\"M", point(to, y), "L", point(to + head, y - 4), "L",
                 point(to + head, y + 4), "Z\"/></g>"});
}

Figure scenarios_figure() {
  Figure figure;
  figure.id = "figure-1";
  figure.title = "Figure 1: the four alignment scenarios";
  figure.caption =
      "Drawn from the equations, not from data. The offline error is what the update regresses on "
      "(target network), the online error what the current network would ask for. Right: the "
      "score as a function of their ratio.";
  figure.panels = {draw_scenarios(), draw_score()};
  figure.columns = 2;
  return figure;
}

}  // namespace tarl::report
