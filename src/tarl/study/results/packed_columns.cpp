// SPDX-License-Identifier: MIT
#include "tarl/study/results/packed_columns.h"

#include <bit>
#include <cmath>
#include <limits>

#include "tarl/core/error.h"
#include "tarl/rl/metrics.h"
#include "tarl/study/plan/study.h"
#include "tarl/study/results/trace_means.h"

namespace tarl::study {

namespace {

constexpr double kSharesPerUnit = 16384;
constexpr std::uint16_t kNoShare = 0xFFFF;
constexpr std::uint16_t kNoNumber = 0x7FC0;  // a NaN
constexpr std::uint32_t kExponent = 0x7F800000;

// Whether a column has values in [0, 1] by definition. Not by its values: losses are small, too.
bool is_share(const std::string& name) {
  const auto metric = rl::find_metric(name);
  return metric && *metric >= rl::Metric::kAlignmentMean &&
         *metric <= rl::Metric::kTerminalShareAll;
}

std::uint16_t share_code(double value) {
  const bool good = value >= 0 && value <= 1;
  return good ? static_cast<std::uint16_t>(std::lround(value * kSharesPerUnit)) : kNoShare;
}

double share_of(std::uint16_t code) {
  return code == kNoShare ? std::numeric_limits<double>::quiet_NaN() : code / kSharesPerUnit;
}

// The upper half of a float, rounded to the nearest, ties to even.
std::uint16_t wide_code(double value) {
  const auto bits = std::bit_cast<std::uint32_t>(static_cast<float>(value));
  const std::uint32_t rounded = bits + 0x7FFF + (bits >> 16 & 1);
  const bool good = std::isfinite(value) && (rounded & kExponent) != kExponent;
  return good ? static_cast<std::uint16_t>(rounded >> 16) : kNoNumber;
}

double wide_of(std::uint16_t code) {
  return std::bit_cast<float>(std::uint32_t{code} << 16);
}

}  // namespace

bool is_packed_column(const std::string& name) {
  const auto metric = rl::find_metric(name);
  if (!metric) return name.starts_with(kTracePrefix);
  return *metric != rl::Metric::kAlignmentMinAll && *metric != rl::Metric::kNonfiniteCount &&
         *metric != rl::Metric::kEntropyCoefficientLoss;
}

Tensor pack_column(const std::string& name, const std::vector<statistics::Curve>& curves) {
  const bool share = is_share(name);
  const std::size_t rows = curves.empty() ? 0 : curves.front().size();
  const std::size_t count = curves.size() * rows;
  std::vector<std::uint8_t> planes(2 * count);
  std::size_t at = 0;
  for (const statistics::Curve& curve : curves) {
    require(curve.size() == rows, "curves of one array are equally long");
    std::uint16_t before = 0;
    for (const double value : curve) {
      const std::uint16_t code = share ? share_code(value) : wide_code(value);
      const auto change = static_cast<std::uint16_t>(code - before);
      planes[at] = static_cast<std::uint8_t>(change & 0xFF);
      planes[at + count] = static_cast<std::uint8_t>(change >> 8);
      before = code;
      ++at;
    }
  }
  return Tensor::of(std::span<const std::uint8_t>(planes),
                    {2, static_cast<std::int64_t>(curves.size()), static_cast<std::int64_t>(rows)});
}

std::vector<statistics::Curve> unpack_column(const std::string& name, const Tensor& packed) {
  if (packed.dtype != Dtype::kU8 || packed.shape.size() != 3 || packed.shape[0] != 2 ||
      packed.shape[1] > kMostRuns) {
    throw Error("'" + name + "' is no array of [2][runs][rows] bytes");
  }
  const bool share = is_share(name);
  const auto planes = packed.as<std::uint8_t>();
  const std::size_t count = planes.size() / 2, rows = static_cast<std::size_t>(packed.shape[2]);
  std::vector<statistics::Curve> curves(static_cast<std::size_t>(packed.shape[1]));
  std::size_t at = 0;
  for (statistics::Curve& curve : curves) {
    std::uint16_t code = 0;
    for (std::size_t row = 0; row < rows; ++row, ++at) {
      code = static_cast<std::uint16_t>(code + planes[at] + 256 * planes[at + count]);
      curve.push_back(share ? share_of(code) : wide_of(code));
    }
  }
  return curves;
}

}  // namespace tarl::study
