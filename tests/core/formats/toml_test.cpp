// SPDX-License-Identifier: MIT
#include "tarl/core/formats/toml.h"

#include "support/errors.h"
#include <gtest/gtest.h>

namespace tarl {

namespace {

TEST(ParseToml, LettersBeyondAsciiStandInQuotesAndComments) {
  for (const char* good :
       {"a = \"\u00fc\"", "a = '\u00fc'", "a = 1 # \u00fc", "\"\u00fc\" = 1",
        "a = \"\"\"\n\u00fc\n\"\"\"\nb = 2", "a = '''\u00fc'''", "a = \"\\\"\u00fc\"",
        "\xEF\xBB\xBF"
        "a = 1",
        "a = \"\"\nb = ''", ""}) {
    EXPECT_EQ(first_bare_letter(good), 0) << good;
    EXPECT_EQ(test::error_of([&] { parse_toml(good, "a.toml"); }), "") << good;
  }
}

TEST(ParseToml, BareLettersBeyondAsciiAreRefusedWithTheirLine) {
  EXPECT_EQ(first_bare_letter("a = 1\nenvir\u029ant = 2"), 2);
  EXPECT_EQ(first_bare_letter("a = '\\'\u00fc"), 1);
  EXPECT_EQ(first_bare_letter("a = \"\"\"x\"\"\"\"\"\u00fc"), 1);
  EXPECT_EQ(first_bare_letter("set = { eval-\u0498ount = 20 }"), 1);
  EXPECT_EQ(test::error_of([] { parse_toml("\n\n\u00a0a = 1", "a.toml"); }),
            "a.toml:3: not valid TOML: letters beyond ASCII must be in quotes");
}

// What no parser gets beyond need not be looked at.
TEST(ParseToml, StringsWithoutAnEndAreLeftToTheParser) {
  for (const char* bad : {"a = \"\n\u00fc", "a = '\n\u00fc", "a = \"\"\"\u00fc", "a = \"\\"}) {
    EXPECT_EQ(first_bare_letter(bad), 0) << bad;
    EXPECT_THROW(parse_toml(bad, "a.toml"), toml::parse_error) << bad;
  }
}

}  // namespace

}  // namespace tarl
