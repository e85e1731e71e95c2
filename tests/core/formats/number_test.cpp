// SPDX-License-Identifier: MIT
#include "tarl/core/formats/number.h"

#include <cmath>
#include <cstring>
#include <limits>

#include <gtest/gtest.h>

#include "tarl/core/rng.h"

namespace tarl {

namespace {

TEST(FormatNumber, WritesTheShortestTextOfANumber) {
  EXPECT_EQ(format_number(0.1), "0.1");
  EXPECT_EQ(format_number(-2.5), "-2.5");
  EXPECT_EQ(format_number(1e-7), "1e-07");
  EXPECT_EQ(format_number(0), "0");
  EXPECT_EQ(format_number(-0.0), "-0");
  EXPECT_EQ(format_number(2e6), "2000000");
  EXPECT_EQ(format_number(1e300), "1e+300");
}

TEST(FormatNumber, SpellsWhatIsNotFiniteAsPythonReadsIt) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  EXPECT_EQ(format_number(kInfinity), "inf");
  EXPECT_EQ(format_number(-kInfinity), "-inf");
  EXPECT_EQ(format_number(std::nan("")), "nan");
  EXPECT_EQ(format_number(-std::nan("")), "nan");
}

TEST(FormatNumber, ReadsBackToTheSameBits) {
  Rng rng = seeded(4);
  for (int i = 0; i < 20'000; ++i) {
    const std::uint64_t bits = rng.bits();
    double value = 0;
    std::memcpy(&value, &bits, sizeof value);
    if (std::isnan(value)) continue;
    ASSERT_EQ(std::strtod(format_number(value).c_str(), nullptr), value);
  }
}

TEST(Plural, CountsOneAsOne) {
  EXPECT_EQ(plural(0, "run"), "0 runs");
  EXPECT_EQ(plural(1, "run"), "1 run");
  EXPECT_EQ(plural(12, "run"), "12 runs");
}

TEST(FormatHash, WritesSixteenDigits) {
  EXPECT_EQ(format_hash(0), "0000000000000000");
  EXPECT_EQ(format_hash(0x1234567890abcdef), "1234567890abcdef");
}

}  // namespace

}  // namespace tarl
