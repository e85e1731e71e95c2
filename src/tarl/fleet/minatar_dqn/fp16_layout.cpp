// SPDX-License-Identifier: MIT
#include "tarl/fleet/minatar_dqn/fp16_layout.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

#include "tarl/core/error.h"

namespace tarl::fleet {

namespace {

constexpr int kLayer = kFeatures * kUnits;

template <class T>
T& element(std::vector<std::byte>& bytes, std::size_t offset, int i) {
  return reinterpret_cast<T*>(bytes.data() + offset)[i];
}

template <class T>
const T& element(const std::vector<std::byte>& bytes, std::size_t offset, int i) {
  return reinterpret_cast<const T*>(bytes.data() + offset)[i];
}

template <class Visit>
void for_each_weight(Visit visit) {
  std::size_t i = 0;
  for (int feature = 0; feature < kFeatures; ++feature) {
    for (int unit = 0; unit < kUnits; ++unit) visit(i++, packed_place(feature, unit));
  }
}

}  // namespace

std::uint16_t to_half(float value) {
  const std::uint32_t bits = std::bit_cast<std::uint32_t>(value);
  const auto sign = static_cast<std::uint16_t>((bits >> 16) & 0x8000U);
  const float size = std::fabs(value);
  if (size == 0) return sign;
  if (std::isnan(value)) return static_cast<std::uint16_t>(sign | 0x7E00U);
  if (size >= 65520.0F) return static_cast<std::uint16_t>(sign | 0x7C00U);
  // Below 2^-14, fp16 values are multiples of 2^-24; above, of 2^(exponent - 10).
  int exponent = 0;
  std::frexp(size, &exponent);
  const int unit = std::max(exponent - 11, -24);
  const auto count = static_cast<std::uint32_t>(std::nearbyint(std::ldexp(double{size}, -unit)));
  // A count of 2^11 carries into the exponent, which yields the first value of the next binade.
  const std::uint32_t base = unit == -24 ? 0 : static_cast<std::uint32_t>(unit + 24) << 10;
  return static_cast<std::uint16_t>(sign | (base + count));
}

float from_half(std::uint16_t half) {
  const int exponent = (half >> 10) & 0x1F;
  const int fraction = half & 0x3FF;
  float size = 0;
  if (exponent == 0x1F) {
    size = fraction == 0 ? INFINITY : NAN;
  } else if (exponent == 0) {
    size = std::ldexp(static_cast<float>(fraction), -24);
  } else {
    size = std::ldexp(static_cast<float>(fraction + 1024), exponent - 25);
  }
  return (half & 0x8000) != 0 ? -size : size;
}

PackedLayer pack_layer(std::span<const float> weights, std::span<const float> moments,
                       std::span<const float> target) {
  require(weights.size() == kLayer && moments.size() == kLayer && target.size() == kLayer,
          "the layer has the wrong size");
  PackedLayer out;
  out.high.resize(kLayer);
  out.target.resize(kLayer);
  out.rest.resize(std::size_t{kPackedTiles} * kRestBytes);
  for_each_weight([&](std::size_t i, const PackedPlace& place) {
    const std::uint16_t high = to_half(weights[i]);
    const auto at = static_cast<std::size_t>(place.high());
    out.high[at] = high;
    out.target[at] = to_half(target[i]);
    const auto difference = static_cast<std::int32_t>(
        std::bit_cast<std::uint32_t>(weights[i]) - std::bit_cast<std::uint32_t>(from_half(high)));
    const std::size_t rest = static_cast<std::size_t>(place.tile) * kRestBytes;
    element<std::int16_t>(out.rest, rest, place.low()) =
        static_cast<std::int16_t>(std::clamp(difference, -32768, 32767));
    element<float>(out.rest, rest + kHighBytes, place.moment()) = moments[i];
  });
  return out;
}

void unpack_layer(const PackedLayer& packed, std::span<float> weights, std::span<float> moments,
                  std::span<float> target) {
  for_each_weight([&](std::size_t i, const PackedPlace& place) {
    const std::size_t rest = static_cast<std::size_t>(place.tile) * kRestBytes;
    const auto low =
        static_cast<std::int32_t>(element<std::int16_t>(packed.rest, rest, place.low()));
    const auto at = static_cast<std::size_t>(place.high());
    const float high = from_half(packed.high[at]);
    weights[i] =
        std::bit_cast<float>(std::bit_cast<std::uint32_t>(high) + static_cast<std::uint32_t>(low));
    moments[i] = element<float>(packed.rest, rest + kHighBytes, place.moment());
    target[i] = from_half(packed.target[at]);
  });
}

}  // namespace tarl::fleet
