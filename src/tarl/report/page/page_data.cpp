// SPDX-License-Identifier: MIT
#include <algorithm>

#include "tarl/report/figures/svg_parts.h"
#include "tarl/report/page/page.h"
#include "tarl/report/text.h"

namespace tarl::report {

namespace {

template <class Values, class Text>
std::string json_list(const Values& values, Text text) {
  std::string out = "[";
  for (const auto& value : values) {
    if (out.size() > 1) out += ',';
    out += text(value);
  }
  return out + ']';
}

std::string json_numbers(const Curve& values) {
  return json_list(values, [](double value) { return json_number(value); });
}

// [lower bounds, upper bounds], or null for a single seed.
std::string json_band(const std::vector<Curve>& runs, const Rng& rng) {
  const std::vector<Interval> band =
      statistics::bootstrap_curve({runs}, statistics::aggregate_mean, rng, kBandBootstrap);
  if (band.empty() || !band.front().known()) return "null";
  const auto side = [&](double Interval::*bound) {
    return json_list(band, [bound](const Interval& i) { return json_number(i.*bound); });
  };
  return concat({"[", side(&Interval::low), ",", side(&Interval::high), "]"});
}

// Untrained runs may end before the points do.
Curve at_points(const Curve& curve, const std::vector<std::size_t>& points) {
  Curve out;
  out.reserve(points.size());
  for (const std::size_t at : points) {
    if (at < curve.size()) out.push_back(curve[at]);
  }
  return out;
}

// The script smooths the points it has; thinned curves are also sent smoothed.
std::string json_cell(const Cell& cell, const std::vector<std::size_t>& points, std::size_t count,
                      const Rng& rng) {
  if (cell.empty()) return "null";
  std::vector<Curve> raw, smooth;
  for (const Curve& curve : cell.curves) {
    raw.push_back(at_points(curve, points));
    smooth.push_back(at_points(statistics::trailing_mean(curve), points));
  }
  const bool all = points.size() == count;
  return concat(
      {"{\"seeds\":", json_list(cell.seeds, [](std::int64_t seed) { return std::to_string(seed); }),
       ",\"runs\":", json_list(raw, json_numbers),
       all ? "" : concat({",\"smooth\":", json_list(smooth, json_numbers)}),
       ",\"ci\":", json_band(raw, rng), ",\"ci10\":", json_band(smooth, rng), "}"});
}

// The first drawn point that counts.
std::size_t first_drawn(const EnvironmentAnalysis& environment,
                        const std::vector<std::size_t>& points) {
  const auto first = std::lower_bound(points.begin(), points.end(), environment.first_trained);
  return static_cast<std::size_t>(first - points.begin());
}

std::string json_panel(const CurvePanel& panel) {
  return concat(
      {"{\"env\":", std::to_string(panel.environment), ",\"title\":", json_string(panel.title),
       ",\"of\":", json_list(panel.algorithms, [](std::size_t a) { return std::to_string(a); }),
       "}"});
}

std::string json_texts(const std::vector<std::pair<std::string, std::string>>& texts) {
  std::string out = "{";
  for (const auto& [key, text] : texts) {
    out += concat({out.size() > 1 ? "," : "", json_string(key), ":", json_string(text)});
  }
  return out + "}";
}

}  // namespace

std::string page_data(const Scene& scene) {
  const Analysis& numbers = scene.numbers();
  std::string out = "{\"algorithms\":[";
  for (std::size_t a = 0; a < scene.styles.size(); ++a) {
    out += concat({a == 0 ? "" : ",", "{\"label\":", json_string(numbers.label(a)),
                   ",\"style\":", json_string(scene.styles[a]), "}"});
  }
  out += concat(
      {"],\"shown\":", json_list(scene.algorithms, [](std::size_t a) { return std::to_string(a); }),
       ",\"environments\":["});
  for (std::size_t env = 0; env < numbers.environments.size(); ++env) {
    const EnvironmentAnalysis& environment = numbers.environments[env];
    const Rng rng = seeded(0).fork("bands").fork(environment.name);
    const std::vector<std::size_t> points = drawn_points(environment.timesteps.size());
    out +=
        concat({env == 0 ? "" : ",", "{\"title\":", json_string(environment.title), ",\"x\":",
                json_list(at_points(environment.timesteps, points),
                          [](double x) { return json_number(x, 12); }),
                ",\"first\":", std::to_string(first_drawn(environment, points)), ",\"cells\":["});
    for (std::size_t a = 0; a < environment.cells.size(); ++a) {
      if (a > 0) out += ',';
      out += json_cell(environment.cells[a], points, environment.timesteps.size(),
                       rng.fork(numbers.label(a)));
    }
    out += "]}";
  }
  out += concat({"],\"panels\":", json_list(curve_panels(scene), json_panel)});
  const CurveCaptions captions = curve_captions(scene);
  return out + concat({",\"captions\":{\"band\":", json_texts(captions.band),
                       ",\"smooth\":", json_texts(captions.smooth),
                       ",\"always\":", json_string(captions.always), "}}"});
}

}  // namespace tarl::report
