// SPDX-License-Identifier: MIT
#include "tarl/fleet/minatar_dqn/fp16_layout.h"

#include <cmath>
#include <set>
#include <tuple>

#include <gtest/gtest.h>

#include "tarl/core/rng.h"

namespace tarl::fleet {
namespace {

constexpr int kLayer = kFeatures * kUnits;

// Magnitudes down to below the range of fp16.
std::vector<float> weights_of_all_sizes() {
  Rng rng = seeded(7);
  std::vector<float> weights(kLayer);
  for (float& w : weights) {
    const double size = std::exp2(4 - 40 * rng.uniform());
    w = static_cast<float>(rng.uniform() < 0.5 ? -size : size);
  }
  return weights;
}

TEST(Fp16Layout, EveryHalfIsItself) {
  for (int bits = 0; bits < 0x10000; ++bits) {
    const auto half = static_cast<std::uint16_t>(bits);
    const float value = from_half(half);
    if (std::isnan(value)) continue;
    EXPECT_EQ(to_half(value), half) << value;
  }
}

TEST(Fp16Layout, RoundsToTheNearestHalfAndToEven) {
  EXPECT_EQ(to_half(1.0F + 0x1p-11F), to_half(1.0F));
  EXPECT_EQ(to_half(1.0F + 3 * 0x1p-11F), to_half(1.0F + 0x1p-9F));
  EXPECT_EQ(to_half(0x1p-25F), 0);
  EXPECT_EQ(to_half(-0x1.8p-25F), 0x8001);
  EXPECT_EQ(to_half(65519.0F), 0x7BFF);
  EXPECT_EQ(to_half(65520.0F), 0x7C00);
  for (const float w : weights_of_all_sizes()) {
    const std::uint16_t half = to_half(w);
    const double error = std::fabs(double{from_half(half)} - w);
    for (const int other : {half - 1, half + 1}) {
      if ((other & 0x7FFF) >= 0x7C00 || other < 0) continue;
      EXPECT_LE(error, std::fabs(double{from_half(static_cast<std::uint16_t>(other))} - w)) << w;
    }
  }
}

TEST(Fp16Layout, EveryWeightHasAPlaceOfItsOwn) {
  std::set<int> high;
  std::set<std::tuple<int, int>> low, moment;
  for (int feature = 0; feature < kFeatures; ++feature) {
    for (int unit = 0; unit < kUnits; ++unit) {
      const PackedPlace place = packed_place(feature, unit);
      high.insert(place.high());
      low.insert({place.tile, place.low()});
      moment.insert({place.tile, place.moment()});
    }
  }
  EXPECT_EQ(high.size(), kLayer);
  EXPECT_EQ(*high.rbegin(), kLayer - 1);
  EXPECT_EQ(low.size(), kLayer);
  EXPECT_EQ(moment.size(), kLayer);
}

TEST(Fp16Layout, WeightsComeBackExactlyOrNearlyWhereTheyAreTiny) {
  const std::vector<float> weights = weights_of_all_sizes(), moments(kLayer, 0.25F);
  const PackedLayer packed = pack_layer(weights, moments, weights);
  std::vector<float> back(kLayer), moments_back(kLayer), target(kLayer);
  unpack_layer(packed, back, moments_back, target);
  EXPECT_EQ(moments_back, moments);
  for (std::size_t i = 0; i < weights.size(); ++i) {
    if (std::fabs(weights[i]) >= 0x1p-17F) {
      EXPECT_EQ(back[i], weights[i]);
    } else {
      EXPECT_NEAR(back[i], weights[i], 3e-8);
    }
    EXPECT_EQ(target[i], from_half(to_half(weights[i])));
  }
}

// A checkpoint must not change the state on the device.
TEST(Fp16Layout, PackingWhatWasUnpackedChangesNothing) {
  const std::vector<float> weights = weights_of_all_sizes(), moments = weights;
  const PackedLayer first = pack_layer(weights, moments, weights);
  std::vector<float> back(kLayer), moments_back(kLayer), target(kLayer);
  unpack_layer(first, back, moments_back, target);
  const PackedLayer second = pack_layer(back, moments_back, target);
  EXPECT_EQ(first.high, second.high);
  EXPECT_EQ(first.rest, second.rest);
  EXPECT_EQ(first.target, second.target);
}

}  // namespace
}  // namespace tarl::fleet
