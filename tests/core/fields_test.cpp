// SPDX-License-Identifier: MIT
#include "tarl/core/fields.h"

#include <limits>

#include "support/errors.h"
#include "support/garbage.h"
#include <gtest/gtest.h>

namespace tarl {

namespace {

using test::error_of;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

enum class Kind { kUniform, kPer, kReaper };
constexpr std::array kKindNames = {"uniform", "per", "reaper"};

struct Settings {
  bool double_q = false;
  std::int64_t batch_size = 32;
  double learning_rate = 1e-3;
  double margin = 0;
  Kind kind = Kind::kUniform;
  std::string name = "run";
  std::vector<std::int64_t> hidden = {64};

  Fields fields() {
    return {integer("batch_size", batch_size, 1, 1e9, "rows of a batch"),
            number("learning_rate", learning_rate, 0, 10, "step size"),
            flag("double_q", double_q, "double Q-learning"),
            text("name", name, "a label"),
            sizes("hidden", hidden, 1, 4096, "units of each layer"),
            number("align.margin", margin, 0, kInfinity, "candidates beyond the batch"),
            choice("replay.kind", kind, kKindNames, "what is replayed")};
  }

  void set(std::string_view key, std::string_view value) {
    Fields table = fields();
    set_field(table, key, value, "--set");
  }

  void read(std::string_view toml) {
    Fields table = fields();
    set_fields_from_toml(table, toml, "preset.toml");
  }
};

std::string problem_of(std::string_view key, std::string_view value) {
  return error_of([&] { Settings().set(key, value); });
}

std::string problem_of(std::string_view toml) {
  return error_of([&] { Settings().read(toml); });
}

TEST(Fields, SetEveryTypeFromText) {
  Settings settings;
  settings.set("batch_size", "64");
  settings.set("learning_rate", "2.5e-4");
  settings.set("double_q", "true");
  settings.set("name", "a b");
  settings.set("hidden", "[256, 128]");
  settings.set("replay.kind", "per");
  EXPECT_EQ(settings.batch_size, 64);
  EXPECT_EQ(settings.learning_rate, 2.5e-4);
  EXPECT_TRUE(settings.double_q);
  EXPECT_EQ(settings.name, "a b");
  EXPECT_EQ(settings.hidden, (std::vector<std::int64_t>{256, 128}));
  EXPECT_EQ(settings.kind, Kind::kPer);
}

TEST(Fields, TakeAWholeNumberInAnySpelling) {
  Settings settings;
  for (const char* value : {"1e6", "1000000", "1_000_000", "1.0e6", " 1e6 "}) {
    settings.batch_size = 0;
    settings.set("batch_size", value);
    EXPECT_EQ(settings.batch_size, 1'000'000) << value;
  }
  settings.read("batch_size = 2e3");
  EXPECT_EQ(settings.batch_size, 2000);
}

TEST(Fields, RefuseWhatIsNotOfTheirType) {
  for (const char* value :
       {"abc", "1.5", "", "nan", "inf", "1e30", "0x10", "12abc", "true", "-4"}) {
    const std::string problem = problem_of("batch_size", value);
    EXPECT_NE(problem.find("--set: batch_size = "), std::string::npos) << value << problem;
    EXPECT_NE(problem.find("whole number from 1 to 1000000000"), std::string::npos) << problem;
    EXPECT_NE(problem.find("rows of a batch"), std::string::npos) << problem;
  }
  for (const char* value : {"abc", "nan", "-nan", "NaN", "inf", "11", "-1"}) {
    EXPECT_NE(problem_of("learning_rate", value), "") << value;
  }
  EXPECT_NE(problem_of("double_q", "yes").find("true|false"), std::string::npos);
  EXPECT_NE(problem_of("hidden", "[64, x]"), "");
  EXPECT_NE(problem_of("hidden", "[64, 0]"), "");
  EXPECT_NE(problem_of("hidden", "[64,,64]"), "");
  EXPECT_NE(problem_of("align.margin", "nan"), "");
  EXPECT_EQ(problem_of("align.margin", "1e300"), "");
}

TEST(Fields, NameTheChoices) {
  EXPECT_NE(problem_of("replay.kind", "rper").find("one of uniform, per, reaper"),
            std::string::npos);
}

TEST(Fields, ARefusedValueChangesNothing) {
  Settings settings;
  EXPECT_NE(error_of([&] { settings.set("batch_size", "-1"); }), "");
  EXPECT_NE(error_of([&] { settings.set("hidden", "[32, bad]"); }), "");
  EXPECT_EQ(settings.batch_size, 32);
  EXPECT_EQ(settings.hidden, (std::vector<std::int64_t>{64}));
}

TEST(Fields, AMarkerStandsForAChoiceOutsideOfTheBounds) {
  double entropy = 0, alpha = 0;
  Fields table = {number_or({"auto", std::numeric_limits<double>::quiet_NaN()},
                            number("entropy", entropy, -9, 9, "a number")),
                  number_or({"-1", -1}, number("alpha", alpha, 0, 1, "a share"))};
  set_field(table, "entropy", "auto", "--set");
  set_field(table, "alpha", "-1.0", "--set");
  EXPECT_EQ(table[0].to_toml(), "\"auto\"");
  EXPECT_EQ(table[1].to_toml(), "-1.0");
  entropy = alpha = 0;
  set_fields_from_toml(table, "entropy = \"auto\"\nalpha = -1", "old.toml");
  EXPECT_EQ(table[0].to_toml(), "\"auto\"");
  EXPECT_EQ(alpha, -1);
  EXPECT_NE(error_of([&] { set_field(table, "entropy", "10", "--set"); }).find("or auto"),
            std::string::npos);
  EXPECT_NE(error_of([&] { set_field(table, "alpha", "-2", "--set"); }).find("or -1"),
            std::string::npos);
}

TEST(Fields, AnUnknownKeySuggestsTheNearest) {
  EXPECT_NE(problem_of("batchsize", "3").find("did you mean 'batch_size'?"), std::string::npos);
  EXPECT_NE(problem_of("margin", "3").find("did you mean 'align.margin'?"), std::string::npos);
  EXPECT_EQ(problem_of("zzzzzz", "3").find("did you mean"), std::string::npos);
  EXPECT_THROW(Settings().set("batchsize", "3"), UsageError);
}

TEST(Toml, SetsKeysAndGroups) {
  Settings settings;
  settings.read(
      "batch_size = 16 # rows\nname = \"x\"\nhidden = [1, 2]\ndouble_q = true\n"
      "[align]\nmargin = 3\n[replay]\nkind = 'reaper'\n");
  EXPECT_EQ(settings.batch_size, 16);
  EXPECT_EQ(settings.name, "x");
  EXPECT_EQ(settings.hidden, (std::vector<std::int64_t>{1, 2}));
  EXPECT_EQ(settings.margin, 3);
  EXPECT_EQ(settings.kind, Kind::kReaper);
  EXPECT_TRUE(settings.double_q);
}

TEST(Toml, ProblemsNameFileAndLine) {
  EXPECT_EQ(problem_of("\n\nbatch_size = \"many\"").rfind("preset.toml:3: batch_size = many", 0),
            0U);
  EXPECT_EQ(problem_of("[align]\nmargn = 3")
                .rfind("preset.toml:2: no setting is called 'align.margn'", 0),
            0U);
  EXPECT_EQ(problem_of("batch_size = 3\nbroken = = 4\n").rfind("preset.toml:2: not valid TOML", 0),
            0U);
  EXPECT_EQ(problem_of("\nlearning_rate = nan").rfind("preset.toml:2: learning_rate", 0), 0U);
  EXPECT_NE(problem_of("name = 1979-05-27").find("date"), std::string::npos);
  EXPECT_NE(problem_of("batch_size = 3\nbatch_size = 4"), "");
  EXPECT_NE(problem_of("double_q = 1"), "");
  EXPECT_NE(problem_of("batch_size = [3]"), "");
}

TEST(Toml, WhatIsWrittenReadsBackToTheSame) {
  Settings settings;
  settings.set("learning_rate", "0.1");
  settings.set("hidden", "[7, 8]");
  settings.set("align.margin", "inf");
  settings.name = "say \"hi\" \\ there";
  settings.kind = Kind::kPer;
  for (const bool with_help : {false, true}) {
    Settings again;
    again.read(fields_to_toml(settings.fields(), with_help));
    EXPECT_EQ(again.learning_rate, settings.learning_rate);
    EXPECT_EQ(again.hidden, settings.hidden);
    EXPECT_EQ(again.margin, settings.margin);
    EXPECT_EQ(again.name, settings.name);
    EXPECT_EQ(again.kind, settings.kind);
    EXPECT_EQ(fields_to_toml(again.fields(), with_help),
              fields_to_toml(settings.fields(), with_help));
  }
}

TEST(Toml, AnyTextReadsBackToTheSame) {
  for (const char* name : {"  spaces  ", "\"quoted\"", "tab\tbell\a\x7F", "two\nlines\r", "\\",
                           "\u00fcml\u00e4ut \u96ea \U0001F600", ""}) {
    Settings settings, again;
    settings.name = name;
    again.read(fields_to_toml(settings.fields(), false));
    EXPECT_EQ(again.name, name);
  }
}

TEST(Toml, AGroupIsWrittenOnceWhereverItsFieldsStand) {
  double a = 1, b = 2, c = 3, again_a = 0, again_b = 0, again_c = 0;
  const auto table = [](double& x, double& y, double& z) {
    return Fields{number("one.x", x, 0, 9, ""), number("two.z", z, 0, 9, ""),
                  number("one.y", y, 0, 9, "")};
  };
  const std::string toml = fields_to_toml(table(a, b, c), false);
  EXPECT_EQ(toml.find("[one]"), toml.rfind("[one]")) << toml;
  Fields read = table(again_a, again_b, again_c);
  set_fields_from_toml(read, toml, "again.toml");
  EXPECT_EQ(again_a + 10 * again_b + 100 * again_c, 321);
}

TEST(SetField, RefusesOddBracketsAndTextThatNoFileCanHold) {
  Settings settings;
  for (const char* list : {"[64", "64]", "[[64]]", "]64[", "[64][32]", "[", "[6 4]"}) {
    EXPECT_NE(error_of([&] { settings.set("hidden", list); }), "") << list;
  }
  settings.set("hidden", " [ 64 , 32 ] ");
  EXPECT_EQ(settings.hidden, (std::vector<std::int64_t>{64, 32}));
  settings.set("hidden", "[]");
  EXPECT_TRUE(settings.hidden.empty());
  for (const char* name : {"\xff", "\xc3", "\xc0\xae", "\xed\xa0\x80", "\xf5\x80\x80\x80"}) {
    EXPECT_NE(error_of([&] { settings.set("name", name); }), "");
  }
}

TEST(Toml, SurvivesGarbage) {
  const std::string good = fields_to_toml(Settings().fields(), true);
  test::feed_garbage(std::as_bytes(std::span(good)), 5'000, [](const auto& bytes) {
    Settings().read({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
  });
}

TEST(NearestNames, RanksByDistanceAndGivesThreeAtMost) {
  const std::vector<std::string> known = {"dqn", "ddqn", "sac", "td3", "dqm", "dqq", "dq"};
  EXPECT_EQ(nearest_names("dqn", known).front(), "dqn");
  EXPECT_EQ(nearest_names("dqx", known).size(), 3U);
  EXPECT_TRUE(nearest_names("breakout", known).empty());
  EXPECT_TRUE(nearest_names("x", {}).empty());
}

TEST(NearestNames, APieceOfAWordIsMoreThanALetterOrTwo) {
  const std::vector<std::string> known = {"exploration_fraction", "eval.count"};
  EXPECT_TRUE(nearest_names("x", known).empty());
  EXPECT_TRUE(nearest_names("io", known).empty());
  EXPECT_EQ(nearest_names("frac", known), std::vector<std::string>{"exploration_fraction"});
}

TEST(NearestNames, AreListedAsInASentence) {
  EXPECT_EQ(alternatives(std::vector<std::string>{"a"}), "a");
  EXPECT_EQ(alternatives(std::vector<std::string>{"a", "b"}), "a or b");
  EXPECT_EQ(alternatives(std::vector<std::string>{"a", "b", "c"}), "a, b or c");
  EXPECT_EQ(did_you_mean("ab", std::vector<std::string>{"a", "b"}), "; did you mean 'a' or 'b'?");
}

TEST(NearestNames, AWholePartComesBeforeAPieceOfAWord) {
  const std::vector<std::string> known = {"atari/chopper_command", "mujoco/hopper_v5",
                                          "mujoco/hopper"};
  EXPECT_EQ(nearest_names("Hopper", known).front(), "mujoco/hopper");
}

}  // namespace

}  // namespace tarl
