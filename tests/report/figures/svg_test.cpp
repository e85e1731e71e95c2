// SPDX-License-Identifier: MIT
#include "tarl/report/figures/svg.h"

#include <algorithm>
#include <cfloat>
#include <cmath>
#include <set>

#include <gtest/gtest.h>

#include "tarl/report/figures/figure.h"
#include "tarl/report/figures/filter.h"
#include "tarl/report/figures/svg_parts.h"

namespace tarl::report {
namespace {

TEST(ChancePanel, TellsTheChanceFromTheNumberItIsOf) {
  const KeptBy by{"reward", {{"0", 0, {.candidates = 1982, .kept = 991}}}};
  EXPECT_NE(chance_panel(by, "c0").svg.find(">0.500, n = 1,982<"), std::string::npos);
}

TEST(Ticks, AreRoundAndInside) {
  EXPECT_EQ(ticks(0, 1, 4), (std::vector<double>{0, 0.25, 0.5, 0.75, 1}));
  EXPECT_EQ(ticks(-1, 9, 5), (std::vector<double>{0, 2, 4, 6, 8}));
  EXPECT_EQ(tick_texts({0, 0.25, 0.5}), (std::vector<std::string>{"0.00", "0.25", "0.50"}));
  EXPECT_EQ(tick_texts({0, 2.5}), (std::vector<std::string>{"0.0", "2.5"}));
  EXPECT_EQ(tick_texts({-2000, 0, 2000}), (std::vector<std::string>{"−2k", "0", "2k"}));
}

// Scores that differ only by rounding, and the extremes of a double.
const std::vector<std::pair<double, double>> kHardPairs = {
    {0.1, 0.1},
    {-0.8, -0.8},
    {-0.8, -0.8000000000000002},
    {-123.4, -123.4},
    {-123.4, -123.40000000000001},
    {500, 500.00000000000006},
    {0.3, 0.30000000000000004},
    {1e16, 1e16 + 2},
    {1e300, std::nextafter(1e300, INFINITY)},
    {-5e-324, 5e-324},
    {0, 5e-324},
    {1e-310, 2e-310},
    {-DBL_MAX, DBL_MAX},
    {DBL_MAX, DBL_MAX},
};

TEST(Ticks, EndHoweverLittleOrMuchValuesDiffer) {
  for (const auto& [low, high] : kHardPairs) {
    const std::vector<double> found = ticks(low, high, 4);
    ASSERT_GE(found.size(), 1U) << low << " " << high;
    EXPECT_LE(found.size(), 10U) << low << " " << high;
    for (const double tick : found) EXPECT_TRUE(std::isfinite(tick)) << low << " " << high;
    EXPECT_EQ(std::set<double>(found.begin(), found.end()).size(), found.size());
  }
  EXPECT_EQ(ticks(0.3, 0.30000000000000004, 4), std::vector<double>{0.3});
  EXPECT_EQ(ticks(0, 1e15, 1'000'000).size(), 50U);
  EXPECT_TRUE(ticks(NAN, 1, 4).empty());
  EXPECT_TRUE(ticks(0, NAN, 4).empty());
  EXPECT_EQ(ticks(-INFINITY, INFINITY, 4).size(), 5U);
}

std::pair<double, double> range_of(const std::vector<double>& values) {
  Extent extent;
  extent.add(values);
  return extent.range();
}

TEST(Extent, TakesRoundingForNoDifference) {
  EXPECT_EQ(range_of({}), std::pair(0.0, 1.0));
  EXPECT_EQ(range_of({NAN, INFINITY, -INFINITY}), std::pair(0.0, 1.0));
  EXPECT_EQ(range_of({2, NAN, 3}), std::pair(2.0, 3.0));
  EXPECT_EQ(range_of({500, 500}), std::pair(499.5, 500.5));
  EXPECT_EQ(range_of({-5e-324, 5e-324}), std::pair(-0.5, 0.5));
  const auto [low, high] = range_of({0.3, 0.30000000000000004});
  EXPECT_DOUBLE_EQ(low, -0.2);
  EXPECT_DOUBLE_EQ(high, 0.8);
  EXPECT_EQ(range_of({1, 1 + 2e-9}), std::pair(1.0, 1 + 2e-9));  // little, but no rounding
  for (const auto& [one, other] : kHardPairs) {
    const auto [from, to] = range_of({one, other});
    EXPECT_TRUE(std::isfinite(to - from)) << one << " " << other;
    EXPECT_GT(to - from, 1e-9 * std::fabs(to)) << one << " " << other;
  }
}

// Every coordinate of a drawing is a number of a few digits.
void expect_plain_numbers(const std::string& svg) {
  EXPECT_EQ(svg.find("nan"), std::string::npos) << svg;
  EXPECT_EQ(svg.find("inf"), std::string::npos) << svg;
  std::size_t digits = 0;
  for (const char c : svg.substr(svg.find("<path"))) {
    digits = c >= '0' && c <= '9' ? digits + 1 : 0;
    ASSERT_LE(digits, 10U) << svg;
  }
}

TEST(LinePanel, DrawsScoresThatHardlyDiffer) {
  for (const auto& [low, high] : kHardPairs) {
    LinePanel panel;
    panel.series = {{"a", "c0", {10, 20, 30}, {low, high, low}, {low, low, low}, {}, false}};
    panel.series[0].high = {high, high, high};
    expect_plain_numbers(draw(panel).svg);
  }
}

TEST(LinePanel, KeepsWhatIsFarOutsideANumber) {
  LinePanel panel;
  panel.y_range = {0, 1};
  panel.series = {{"a", "c0", {1, 2, 3, 4}, {0.5, 1e300, -1e300, DBL_MAX}, {}, {}, false}};
  expect_plain_numbers(draw(panel).svg);
}

TEST(IntervalPanel, DrawsScoresThatHardlyDiffer) {
  for (const auto& [low, high] : kHardPairs) {
    IntervalPanel panel;
    panel.rows = {{"row", "c1", low, std::pair(low, high), ""}, {"row", "c1", high, {}, ""}};
    expect_plain_numbers(draw(panel).svg);
    BarPanel bars;
    bars.bars = panel.rows;
    expect_plain_numbers(draw(bars).svg);
  }
}

TEST(DrawnPoints, AreAllOfThemOrEvenlySpreadUpToTheLast) {
  EXPECT_TRUE(drawn_points(0).empty());
  EXPECT_EQ(drawn_points(3), (std::vector<std::size_t>{0, 1, 2}));
  EXPECT_EQ(drawn_points(kMostPoints).back(), kMostPoints - 1);
  const std::vector<std::size_t> some = drawn_points(200'000);
  ASSERT_EQ(some.size(), kMostPoints);
  EXPECT_EQ(some.front(), 99U);
  EXPECT_EQ(some.back(), 199'999U);
  for (std::size_t i = 1; i < some.size(); ++i) EXPECT_EQ(some[i] - some[i - 1], 100U);
  const std::vector<std::size_t> uneven = drawn_points(kMostPoints + 1);
  EXPECT_EQ(std::set<std::size_t>(uneven.begin(), uneven.end()).size(), kMostPoints);
  EXPECT_EQ(uneven.back(), kMostPoints);
}

TEST(LinePanel, DrawsNoMorePointsThanAPictureCanShow) {
  Series series{"a", "c0", {}, {}, {}, {}, false};
  for (int i = 0; i < 100'000; ++i) {
    series.x.push_back(i);
    series.y.push_back(i % 7);
    series.low.push_back(0);
    series.high.push_back(7);
  }
  LinePanel panel;
  panel.series = {series};
  const std::string svg = draw(panel).svg;
  const std::size_t band = svg.find("class=\"band\""), line = svg.find("class=\"line\"");
  ASSERT_LT(band, line);
  const auto points = [&](std::size_t from, std::size_t to) {
    return static_cast<std::size_t>(std::count_if(svg.begin() + static_cast<std::ptrdiff_t>(from),
                                                  svg.begin() + static_cast<std::ptrdiff_t>(to),
                                                  [](char c) { return c == 'M' || c == 'L'; }));
  };
  EXPECT_EQ(points(band, line), 2 * kMostPoints);
  EXPECT_EQ(points(line, svg.find("</g>", line)), kMostPoints);
}

TEST(LinePanel, BreaksTheLineWhereThereIsNoValue) {
  LinePanel panel;
  panel.series = {{"a", "c0", {0, 1, 2, 3}, {1, NAN, 2, 3}, {}, {}, false}};
  const std::string svg = draw(panel).svg;
  const std::size_t path = svg.find("class=\"line\" d=\"M");
  ASSERT_NE(path, std::string::npos);
  const std::string line = svg.substr(path, svg.find("/>", path) - path);
  EXPECT_EQ(std::count(line.begin(), line.end(), 'M'), 2);
  EXPECT_EQ(svg.find("nan"), std::string::npos);
}

TEST(LinePanel, APointWithoutNeighboursIsAStroke) {
  LinePanel panel;
  panel.series = {{"a", "c0", {0, 1, 2}, {1, NAN, NAN}, {}, {}, false},
                  {"b", "c1", {0, 1, 2}, {1, 2, 3}, {}, {}, false}};
  const std::string svg = draw(panel).svg;
  double from = 0, to = 0, from_y = 0, to_y = 0;
  const std::size_t path = svg.find("class=\"line\" d=\"M");
  ASSERT_NE(path, std::string::npos);
  ASSERT_EQ(std::sscanf(svg.c_str() + path, "class=\"line\" d=\"M%lf %lfL%lf %lf\"", &from, &from_y,
                        &to, &to_y),
            4);
  EXPECT_DOUBLE_EQ(to - from, 6);
  EXPECT_DOUBLE_EQ(from_y, to_y);
}

TEST(LinePanel, DrawsAxesWithoutData) {
  LinePanel panel;
  panel.title = "empty <panel>";
  const std::string svg = draw(panel).svg;
  EXPECT_NE(svg.find("empty &lt;panel&gt;"), std::string::npos);
  EXPECT_EQ(svg.find("nan"), std::string::npos);
}

TEST(LinePanel, BandsCloseAroundTheLine) {
  LinePanel panel;
  panel.series = {{"a", "c0", {0, 1}, {1, 2}, {0, 1}, {2, 3}, false}};
  EXPECT_NE(draw(panel).svg.find("class=\"band\" d=\"M"), std::string::npos);
}

TEST(IntervalPanel, ShowsItsReference) {
  IntervalPanel panel;
  panel.rows = {{"row", "c1", 0.8, std::pair(0.7, 0.9), "0.80"}};
  panel.reference = 0.5;
  const std::string svg = draw(panel).svg;
  EXPECT_NE(svg.find("class=\"axis\""), std::string::npos);
  EXPECT_NE(svg.find("<circle"), std::string::npos);
}

TEST(BarPanel, NegativeBarsEndAtZero) {
  BarPanel panel;
  panel.bars = {{"down", "c0", -2, std::nullopt, ""}, {"up", "c0", 2, std::nullopt, ""}};
  const std::string svg = draw(panel).svg;
  EXPECT_EQ(svg.find("width=\"-"), std::string::npos);
  EXPECT_NE(svg.find("<rect class=\"bar\""), std::string::npos);
}

TEST(Figure, IsOneFileWithAllItsPanels) {
  LinePanel panel;
  Figure figure{"f", "title", "caption", {draw(panel), draw(panel)}, {{"a", "c0"}}, 2};
  const std::string file = figure_file(figure);
  EXPECT_TRUE(file.starts_with("<svg xmlns="));
  EXPECT_NE(file.find("x=\"12\" y="), std::string::npos);
  EXPECT_NE(figure_html(figure).find("<figcaption>caption"), std::string::npos);
}

TEST(Figure, CurvesStandOnOneLineHoweverLongTheirTitles) {
  LinePanel panel;
  const Drawing low = draw(panel);
  panel.title = std::string(40, 'm') + " " + std::string(40, 'm') + " " + std::string(40, 'm');
  const Drawing tall = draw(panel);
  ASSERT_GT(tall.height, low.height);
  Figure figure{"f", "title", "caption", {low, tall}, {}, 2};
  const auto starts_at = [&](double y) {
    return figure_file(figure).find("x=\"12\" y=\"" + coordinate(y) + "\"") != std::string::npos;
  };
  EXPECT_TRUE(starts_at(12));
  figure.stretches = true;
  EXPECT_TRUE(starts_at(12 + tall.height - low.height));
}

}  // namespace
}  // namespace tarl::report
