// SPDX-License-Identifier: MIT
#include "tarl/report/analysis/sweeps.h"

#include <algorithm>
#include <cmath>
#include <compare>
#include <set>
#include <utility>

#include "tarl/core/formats/number.h"
#include "tarl/report/text.h"
#include "tarl/study/results/guess_conditions.h"

namespace tarl::report {

namespace {

using study::Settings;

constexpr std::size_t kFewestValues = 3;
const std::set<std::string> kNamedAxes = {kMarginSetting, "align.mode", "batch_size"};

// One condition: its agent and the settings that vary between conditions.
struct Point {
  std::size_t algorithm = 0;
  bool aligned = false;
  std::string agent;  // "TA-DQN+PER", plus its origin if a condition occurs twice
  Settings settings;
};

// The settings that may distinguish a condition, from its first run.
Settings settings_of(const Analysis& analysis, std::size_t a) {
  const study::Results& results = *analysis.results;
  Settings out;
  for (std::size_t env = 0; out.empty() && env < analysis.environments.size(); ++env) {
    if (results.cell(env, a).empty()) continue;
    for (const auto& [key, value] : results.runs[results.cell(env, a).front()].config) {
      if (key == "steps" || key.starts_with("extended.")) continue;
      if (!study::is_no_variant(key) || kNamedAxes.contains(key)) out[key] = value;
    }
  }
  if (!analysis.algorithm(a).aligned()) {
    std::erase_if(out, [](const auto& setting) { return setting.first.starts_with("align."); });
    out[kMarginSetting] = "0";
  }
  return out;
}

std::string value_of(const Settings& settings, const std::string& key) {
  const auto found = settings.find(key);
  return found == settings.end() ? "" : found->second;
}

void keep_what_varies(std::vector<Point>& points) {
  std::map<std::string, std::set<std::string>> values;
  for (const Point& point : points) {
    for (const auto& [key, value] : point.settings) values[key].insert(value);
  }
  for (Point& point : points) {
    std::erase_if(point.settings,
                  [&](const auto& setting) { return values[setting.first].size() < 2; });
  }
}

std::vector<Point> points_of(const Analysis& analysis) {
  std::vector<Point> points;
  for (const std::size_t a : present_algorithms(analysis)) {
    const study::Algorithm& algorithm = analysis.algorithm(a);
    const std::string tag = algorithm.tag.empty() ? "" : concat({" (", algorithm.tag, ")"});
    points.push_back(
        {a, algorithm.aligned(), study::plain_name(algorithm) + tag, settings_of(analysis, a)});
  }
  keep_what_varies(points);
  return points;
}

// What a line's points share: everything but the setting that varies along it.
struct Rest {
  std::string agent;
  Settings settings;

  auto operator<=>(const Rest& other) const = default;
};

bool differ_in_alignment_alone(const Settings& a, const Settings& b) {
  const auto without = [](Settings settings) {
    std::erase_if(settings, [](const auto& s) { return s.first.starts_with("align."); });
    return settings;
  };
  return without(a) == without(b);
}

using Lines = std::map<Rest, SweepLine>;

void add_point(const Point& point, double value, Rest rest, Lines& lines) {
  SweepLine& line = lines[std::move(rest)];
  line.at.emplace(value, point.algorithm);
  line.aligned = line.aligned || point.aligned;
}

Lines lines_over(const std::string& key, const std::vector<Point>& points) {
  Lines lines;
  std::vector<std::pair<Point, Rest>> plain;
  for (const Point& point : points) {
    const double value = parse_number(value_of(point.settings, key), statistics::kNaN);
    if (!std::isfinite(value)) continue;
    Rest rest{point.agent, point.settings};
    rest.settings.erase(key);
    if (key == kMarginSetting && !point.aligned) {
      plain.emplace_back(point, std::move(rest));
    } else {
      add_point(point, value, std::move(rest), lines);
    }
  }
  for (auto& [rest, line] : lines) {
    for (const auto& [point, its] : plain) {
      if (rest.agent == "TA-" + its.agent &&
          differ_in_alignment_alone(its.settings, rest.settings)) {
        line.at.emplace(0.0, point.algorithm);
      }
    }
  }
  std::erase_if(lines, [](const auto& line) { return line.second.at.size() < kFewestValues; });
  return lines;
}

// Names lines by what differs between lines of one agent, and by the agent if there are several.
void name_lines(Lines& lines) {
  std::map<std::string, std::set<std::string>> values;  // agent and setting
  std::set<std::string> agents;
  for (const auto& [rest, line] : lines) {
    agents.insert(rest.agent);
    for (const auto& [key, value] : rest.settings) values[rest.agent + " " + key].insert(value);
  }
  for (auto& [rest, line] : lines) {
    if (agents.size() > 1) line.label = rest.agent;
    for (const auto& [key, value] : rest.settings) {
      if (values[rest.agent + " " + key].size() < 2) continue;
      line.label += concat({line.label.empty() ? "" : " ", key, "=", value});
    }
    if (line.label.empty()) line.label = rest.agent;
  }
}

// In the study's order.
std::size_t first_condition(const SweepLine& line) {
  std::size_t first = line.at.begin()->second;
  for (const auto& [value, algorithm] : line.at) first = std::min(first, algorithm);
  return first;
}

}  // namespace

std::vector<Sweep> find_sweeps(const Analysis& analysis) {
  const std::vector<Point> points = points_of(analysis);
  std::set<std::string> keys;
  for (const Point& point : points) {
    for (const auto& [key, value] : point.settings) keys.insert(key);
  }
  std::vector<Sweep> sweeps;
  for (const std::string& key : keys) {
    Lines lines = lines_over(key, points);
    if (lines.empty()) continue;
    name_lines(lines);
    Sweep sweep{key, {}};
    for (auto& [rest, line] : lines) sweep.lines.push_back(std::move(line));
    std::ranges::sort(sweep.lines, {}, first_condition);
    sweeps.push_back(std::move(sweep));
  }
  return sweeps;
}

}  // namespace tarl::report
