// SPDX-License-Identifier: MIT
#include "tarl/core/formats/toml.h"

#include <gtest/gtest.h>

namespace tarl {

namespace {

// Under the undefined-behaviour sanitizer each of these once ended the program.
TEST(Toml, LettersBeyondAsciiOutsideOfQuotesAreRefused) {
  for (const char* bad :
       {"envir\u029ant = 1", "set = { eval-\u0498ount = 20 }", "a = 1e\"\ufefda2\"", "\u00a1",
        "a = \u00fc", "a.\"b#\" \u00fc = 1", "a = 1.\"\u00fc\"", "a = [\u00fc]", "[\u00fc]"}) {
    EXPECT_THROW(toml::parse(std::string_view(bad)), toml::parse_error) << bad;
  }
}

TEST(Toml, LettersBeyondAsciiStandInQuotesAndComments) {
  for (const char* good :
       {"a = \"\u00fc\"", "a = '\u00fc'", "a = 1 # \u00fc", "\"\u00fc\" = 1", "a = '''\u00fc'''"}) {
    EXPECT_EQ(toml::parse(std::string_view(good)).size(), 1U) << good;
  }
}

TEST(Toml, AKeyThatStartsOddlyIsRefusedInEveryBuild) {
  for (const char* bad : {"[+a", "[+a]", "+a = 1", "a.+b = 1", "[[+a]]", "a = { +b = 1 }"}) {
    EXPECT_THROW(toml::parse(std::string_view(bad)), toml::parse_error) << bad;
  }
}

}  // namespace

}  // namespace tarl
