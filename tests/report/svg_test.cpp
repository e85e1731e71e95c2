// SPDX-License-Identifier: MIT
#include "tarl/report/svg.h"

#include <cmath>

#include <gtest/gtest.h>

#include "tarl/report/figure.h"
#include "tarl/report/svg_parts.h"

namespace tarl::report {
namespace {

TEST(Ticks, AreRoundAndInside) {
  EXPECT_EQ(ticks(0, 1, 4), (std::vector<double>{0, 0.25, 0.5, 0.75, 1}));
  EXPECT_EQ(ticks(-1, 9, 5), (std::vector<double>{0, 2, 4, 6, 8}));
  EXPECT_EQ(tick_texts({0, 0.25, 0.5}), (std::vector<std::string>{"0.00", "0.25", "0.50"}));
  EXPECT_EQ(tick_texts({0, 2.5}), (std::vector<std::string>{"0.0", "2.5"}));
  EXPECT_EQ(tick_texts({-2000, 0, 2000}), (std::vector<std::string>{"−2k", "0", "2k"}));
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

}  // namespace
}  // namespace tarl::report
