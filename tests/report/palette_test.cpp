// SPDX-License-Identifier: MIT
#include <array>
#include <cmath>
#include <cstdlib>

#include <gtest/gtest.h>

#include "tarl/report/page/style.h"

namespace tarl::report {
namespace {

using Triple = std::array<double, 3>;
using Matrix = std::array<Triple, 3>;

// Machado, Oliveira and Fernandes 2009, severity 1, on linear sRGB.
constexpr Matrix kNormal{{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
constexpr Matrix kProtan{{{0.152286, 1.052583, -0.204868},
                          {0.114503, 0.786281, 0.099216},
                          {-0.003882, -0.048116, 1.051998}}};
constexpr Matrix kDeutan{{{0.367322, 0.860646, -0.227968},
                          {0.280085, 0.672501, 0.047413},
                          {-0.011820, 0.042940, 0.968881}}};
constexpr Matrix kToXyz{{{0.4124564, 0.3575761, 0.1804375},
                         {0.2126729, 0.7151522, 0.0721750},
                         {0.0193339, 0.1191920, 0.9503041}}};
constexpr Triple kWhite{0.95047, 1, 1.08883};

constexpr double kApart = 20;  // CIE76

Triple times(const Matrix& matrix, const Triple& v) {
  Triple out{};
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = 0; j < 3; ++j) out[i] += matrix[i][j] * v[j];
  }
  return out;
}

Triple linear(const std::string& colour) {
  Triple out{};
  for (std::size_t i = 0; i < 3; ++i) {
    const double part =
        static_cast<double>(std::strtol(colour.substr(1 + 2 * i, 2).c_str(), nullptr, 16)) / 255;
    out[i] = part <= 0.04045 ? part / 12.92 : std::pow((part + 0.055) / 1.055, 2.4);
  }
  return out;
}

Triple lab(Triple rgb) {
  for (double& part : rgb) part = std::fmin(1, std::fmax(0, part));
  const Triple xyz = times(kToXyz, rgb);
  Triple f{};
  for (std::size_t i = 0; i < 3; ++i) {
    const double t = xyz[i] / kWhite[i];
    f[i] = t > 216.0 / 24389 ? std::cbrt(t) : (24389.0 / 27 * t + 16) / 116;
  }
  return {116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])};
}

// As the reader sees it for whom two colours are closest.
double distance(const std::string& a, const std::string& b) {
  double least = 1e9;
  for (const Matrix& sight : {kNormal, kProtan, kDeutan}) {
    const Triple x = lab(times(sight, linear(a))), y = lab(times(sight, linear(b)));
    least = std::fmin(least, std::hypot(x[0] - y[0], x[1] - y[1], x[2] - y[2]));
  }
  return least;
}

double luminance(const std::string& colour) {
  return times(kToXyz, linear(colour))[1];
}

class Palettes : public testing::TestWithParam<bool> {
 protected:
  const Palette& palette() const { return GetParam() ? dark_palette() : light_palette(); }
};

TEST_P(Palettes, NeighboursStayApartForProtanAndDeutanReaders) {
  for (std::size_t i = 1; i < kHues; ++i) {
    EXPECT_GE(distance(palette()[i - 1], palette()[i]), kApart) << i;
  }
}

// Conditions of a study, and the scenarios of an update, next to and above each other.
TEST_P(Palettes, TheFirstSixStayApartInAnyOrder) {
  for (std::size_t i = 0; i < 6; ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      EXPECT_GE(distance(palette()[i], palette()[j]), kApart) << i << " " << j;
    }
    EXPECT_GE(distance(palette()[i], palette()[kHues]), kApart) << i << " and grey";
  }
}

TEST_P(Palettes, NoTwoAreTheSameToAnybody) {
  for (std::size_t i = 0; i < kHues; ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      EXPECT_GE(distance(palette()[i], palette()[j]), 10) << i << " " << j;
    }
  }
}

TEST_P(Palettes, TextInThemCanBeRead) {
  const double paper = luminance(GetParam() ? "#161d26" : "#ffffff");
  for (const char* colour : palette()) {
    const double ink = luminance(colour);
    const double contrast = (std::fmax(ink, paper) + 0.05) / (std::fmin(ink, paper) + 0.05);
    EXPECT_GE(contrast, 4.5) << colour;
  }
}

INSTANTIATE_TEST_SUITE_P(LightAndDark, Palettes, testing::Bool());

TEST(Cie76, KnowsTwoBrownsThatDeutanReadersConfuse) {
  EXPECT_LT(distance("#c2491d", "#a16207"), 3);
}

}  // namespace
}  // namespace tarl::report
