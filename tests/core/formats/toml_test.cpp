// SPDX-License-Identifier: MIT
#include "tarl/core/formats/toml.h"

#include "support/errors.h"
#include <gtest/gtest.h>

namespace tarl {

namespace {

toml::table parsed(const std::string& document) {
  return parse_toml(document, "a.toml");
}

// "a.a.a" of so many parts.
std::string deep_key(int parts, const std::string& part = "a") {
  std::string key = part;
  for (int i = 1; i < parts; ++i) key += "." + part;
  return key;
}

// A key or header of that many parts, in every place where TOML takes one.
std::vector<std::string> deep_documents(int parts) {
  const std::string key = deep_key(parts);
  return {"\n[" + key + "]",
          "\n[[" + key + "]]",
          "\n" + key + " = 1",
          "\n" + deep_key(parts, " 'a.b' ") + " = 1",
          "\n" + deep_key(parts, R"("\"")") + " = 1",
          "\nb = { c = 1.5, " + key + " = 1 }",
          "\nb = [{ " + key + " = 1 }]"};
}

// Under the undefined-behaviour sanitizer each of these once ended the program.
TEST(Toml, LettersBeyondAsciiOutsideOfQuotesAreRefused) {
  for (const char* bad :
       {"envir\u029ant = 1", "set = { eval-\u0498ount = 20 }", "a = 1e\"\ufefda2\"", "\u00a1",
        "a = \u00fc", "a.\"b#\" \u00fc = 1", "a = 1.\"\u00fc\"", "a = [\u00fc]", "[\u00fc]"}) {
    EXPECT_THROW(parsed(bad), UsageError) << bad;
  }
}

TEST(Toml, LettersBeyondAsciiStandInQuotesAndComments) {
  for (const char* good :
       {"a = \"\u00fc\"", "a = '\u00fc'", "a = 1 # \u00fc", "\"\u00fc\" = 1", "a = '''\u00fc'''"}) {
    EXPECT_EQ(parsed(good).size(), 1U) << good;
  }
}

TEST(Toml, AKeyThatStartsOddlyIsRefusedInEveryBuild) {
  for (const char* bad : {"[+a", "[+a]", "+a = 1", "a.+b = 1", "[[+a]]", "a = { +b = 1 }"}) {
    EXPECT_THROW(parsed(bad), UsageError) << bad;
  }
}

TEST(Toml, KeysOfTooManyPartsAreRefusedWithFileAndLine) {
  for (const int parts : {kMaxKeyParts + 1, 20'000, 1'000'000}) {
    for (const std::string& document : deep_documents(parts)) {
      const std::string error = test::error_of([&] { parsed(document); });
      EXPECT_TRUE(error.starts_with("a.toml:2:")) << document.substr(0, 60) << ": " << error;
      EXPECT_NE(error.find("64 parts"), std::string::npos) << document.substr(0, 60) << error;
    }
  }
}

TEST(Toml, KeysOfAsManyPartsAsAllowedAreRead) {
  for (const std::string& document : deep_documents(kMaxKeyParts)) {
    EXPECT_EQ(parsed(document).size(), 1U) << document;
  }
}

TEST(Toml, DotsInValuesAndCommentsAreNotPartsOfAKey) {
  const std::string dots(1000, '.');
  std::string numbers;
  for (int i = 0; i < 1000; ++i) numbers += "1.5, ";
  const std::vector<std::string> values = {"\"" + dots + "\"",
                                           "'" + dots + "'",
                                           "'\\' # " + dots,
                                           R"("\")" + dots + "\"",
                                           R"(""")" + dots + R"(\""")" + dots + R"(""""")",
                                           "'''\n" + dots + "''" + dots + "'''''",
                                           "\"\" # " + dots,
                                           "1 # \"" + dots,
                                           "[" + numbers + "]"};
  for (const std::string& value : values) {
    EXPECT_EQ(parsed("a = " + value + "\n[b]\nc = 2.5").size(), 2U) << value.substr(0, 10);
  }
}

TEST(Toml, AStringCannotHideAKeyOfTooManyParts) {
  for (const char* before :
       {R"(a = "\\")", R"(a = '\')", R"(a = "")", "a = ''", R"(a = """""")", R"(a = """'""""")",
        R"(a = '''"'''')", "# \"", "# '''", R"(a = 1 # """)", R"("'" = 1)", R"('"' = 1)"}) {
    const std::string document = std::string(before) + "\n[" + deep_key(1000) + "]";
    const std::string error = test::error_of([&] { parsed(document); });
    EXPECT_NE(error.find("64 parts"), std::string::npos) << before << ": " << error;
  }
}

TEST(Toml, ValuesInOneAnotherAreLimited) {
  for (const int depth : {17, 100'000}) {
    std::string lists = "a = ", tables = "a = ";
    for (int i = 0; i < depth; ++i) {
      lists += "[";
      tables += "{ " + deep_key(i < 1000 ? 50 : 1) + " = ";
    }
    EXPECT_THROW(parsed(lists), UsageError);
    EXPECT_THROW(parsed(tables), UsageError);
  }
}

}  // namespace

}  // namespace tarl
