// SPDX-License-Identifier: MIT
#include "tarl/report/figures/text_width.h"

#include <gtest/gtest.h>

#include "tarl/report/figures/figure.h"

namespace tarl::report {
namespace {

using Lines = std::vector<std::string>;

TEST(TextWidth, AddsTheAdvancesOfTheWidestFont) {
  EXPECT_DOUBLE_EQ(text_width("AB", 10), 10 * (0.685 + 0.687));
  EXPECT_DOUBLE_EQ(text_width("AB", 10, Weight::kBold), 10 * (0.774 + 0.763));
  EXPECT_DOUBLE_EQ(text_width("", 10), 0);
  EXPECT_GT(text_width("δ", 10), text_width("o", 10));
  EXPECT_DOUBLE_EQ(text_width("δ̄", 10), text_width("δ", 10));  // a mark has no width
  EXPECT_GT(text_width("\xff\xce", 10), 0);                    // no UTF-8
}

TEST(Wrapped, BreaksAfterSpacesAndJoiningSigns) {
  EXPECT_EQ(wrapped("one two", 10, 1000), Lines{"one two"});
  EXPECT_EQ(wrapped("one two", 10, 30), (Lines{"one", "two"}));
  EXPECT_EQ(wrapped("TA-DQN+ReaPER", 10, 60), (Lines{"TA-DQN+", "ReaPER"}));
  EXPECT_EQ(wrapped("", 10, 30), Lines{""});
}

TEST(Wrapped, CutsAWordThatIsTooLongAndNeverALetter) {
  const std::string word(40, 'w');
  std::string joined;
  for (const std::string& line : wrapped(word, 10, 50)) {
    EXPECT_LE(text_width(line, 10), 50);
    joined += line;
  }
  EXPECT_EQ(joined, word);
  EXPECT_EQ(wrapped("δδ", 10, 1), (Lines{"δ", "δ"}));
}

// The places of text elements are inside the picture, whatever their names are.
TEST(Figure, LongLabelsKeepToItsWidth) {
  const std::string label = "TA-DQN with a name of sixty letters, as nobody should choose it";
  IntervalPanel panel;
  panel.title = label;
  panel.x_label = label;
  panel.rows = {{label, "c0", 0.5, std::pair(0.4, 0.6), "0.500"}};
  const Drawing drawing = draw(panel);
  EXPECT_DOUBLE_EQ(drawing.width, kPanelWidth);
  EXPECT_EQ(drawing.svg.find(label + "</text>"), std::string::npos);
  EXPECT_NE(drawing.svg.find("aria-label=\"" + label), std::string::npos);
  const Figure figure{"f", "t", "c", {drawing}, {{label, "c0"}, {label + " 2", "c1"}}, 1};
  EXPECT_EQ(figure_file(figure).find(label + "</text>"), std::string::npos);
}

}  // namespace
}  // namespace tarl::report
