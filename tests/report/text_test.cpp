// SPDX-License-Identifier: MIT
#include "tarl/report/text.h"

#include <cmath>

#include <gtest/gtest.h>

#include "tarl/report/tables/table.h"

namespace tarl::report {
namespace {

TEST(Text, EscapesForWhereItGoes) {
  EXPECT_EQ(escape_html("<a b=\"c\">'&\x01"), "&lt;a b=&quot;c&quot;&gt;&#39;&amp;");
  EXPECT_EQ(escape_latex("a_b & 5 % ± −1"), "a\\_b \\& 5 \\% $\\pm$ $-$1");
  EXPECT_EQ(csv_field("plain"), "plain");
  EXPECT_EQ(csv_field("a,\"b\""), "\"a,\"\"b\"\"\"");
  EXPECT_EQ(json_string("</script>\"\\\n"), "\"\\u003c/script\\u003e\\\"\\\\\\u000a\"");
  EXPECT_EQ(file_name("../x y"), "_._x_y");
}

TEST(Text, NoLabelLeavesItsLine) {
  const std::string label = "A\n\\input{/etc/passwd}\r\n%\tb\x7f";
  EXPECT_EQ(one_line(label), "A \\input{/etc/passwd}  % b ");
  EXPECT_EQ(escape_latex(label), "A \\textbackslash{}input\\{/etc/passwd\\}  \\% b ");
  EXPECT_EQ(escape_markdown("a\n# b\r|c\\|"), "a # b \\|c\\\\\\|");
  EXPECT_EQ(escape_markdown("<script> </b> <!-- <? p < 0.1 <3"),
            "\\<script> \\</b> \\<!-- \\<? p < 0.1 <3");
}

TEST(Text, NamesOfFilesAreNeverTooLong) {
  const std::string hundred(100, 'a');
  EXPECT_EQ(file_name(hundred), hundred);
  const std::string one = file_name(hundred + "b"), other = file_name(hundred + "c");
  EXPECT_EQ(one.size(), 100U);
  EXPECT_EQ(one.substr(0, 83), hundred.substr(0, 83));
  EXPECT_NE(one, other);
}

TEST(Text, NumbersForPeople) {
  EXPECT_EQ(fixed(-0.0001, 2), "0.00");
  EXPECT_EQ(fixed(-1.25, 1), "−1.2");
  EXPECT_EQ(fixed(NAN, 2), "–");
  EXPECT_EQ(signed_fixed(0.1234, 3), "+0.123");
  EXPECT_EQ(signed_fixed(-0.1234, 3), "−0.123");
  EXPECT_EQ(signed_fixed(-0.0001, 3), "0.000");
  EXPECT_EQ(significant(1234.5, 3), "1234");
  EXPECT_EQ(significant(12.345, 3), "12.3");
  EXPECT_EQ(significant(0.01234, 3), "0.0123");
  EXPECT_EQ(p_value(0.0004), "< 0.001");
  EXPECT_EQ(p_value(0.0625), "0.062");
  EXPECT_EQ(short_count(20000), "20k");
  EXPECT_EQ(short_count(12.5e6), "12.5M");
  EXPECT_EQ(duration(59), "59.0 s");
  EXPECT_EQ(duration(16668), "4.63 h");
  EXPECT_EQ(interval({0.1, 0.2}, 2), "[0.10, 0.20]");
  EXPECT_EQ(interval({NAN, NAN}, 2), "");
  EXPECT_EQ(json_number(INFINITY), "null");
  EXPECT_EQ(environment_title("minatar/space_invaders"), "Space Invaders");
}

TEST(Table, IsWrittenInThreeLanguages) {
  Table table;
  table.id = "t";
  table.title = "A & B";
  table.header = {"who", "how much"};
  table.rows = {{{"x|y", "", false}, {"1.5", "[1, 2]", true}}};
  EXPECT_NE(table_html(table).find("<td><b>1.5</b><small>[1, 2]</small></td>"), std::string::npos);
  EXPECT_NE(table_html(table).find("A &amp; B"), std::string::npos);
  EXPECT_NE(table_latex(table).find("x|y & \\textbf{1.5} {\\scriptsize [1, 2]} \\\\"),
            std::string::npos);
  EXPECT_NE(table_markdown(table).find("| x\\|y | **1.5 [1, 2]** |"), std::string::npos);
  table.rows.push_back({{"z", "", false}, {"0.5", "1 of 2 environments", false}});
  EXPECT_NE(table_markdown(table).find("| z | 0.5 (1 of 2 environments) |"), std::string::npos);
}

TEST(Table, KeepsLinesOfATitleInTheLatexComment) {
  Table table;
  table.title = "A\n\\input{/etc/passwd}\n% vs B";
  table.header = {"who"};
  table.rows = {{{"a\n\nb", "c\n", false}}, {{"[2ex] row", "", false}}, {{"*", "", false}}};
  EXPECT_EQ(table_latex(table),
            "% A \\input{/etc/passwd} % vs B\n\\begin{tabular}{l}\n\\toprule\nwho \\\\\n\\midrule\n"
            "a  b {\\scriptsize c } \\\\\n{}[2ex] row \\\\\n{}* \\\\\n\\bottomrule\n"
            "\\end{tabular}\n");
}

}  // namespace
}  // namespace tarl::report
