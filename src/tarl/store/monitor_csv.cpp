// SPDX-License-Identifier: MIT
#include "tarl/store/monitor_csv.h"

#include <array>
#include <cmath>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

#include "tarl/core/formats/number.h"
#include "tarl/store/log_tail.h"

namespace tarl::store {

namespace {

constexpr std::uint64_t kMostMonitor = 1u << 30;  // bytes
constexpr std::size_t kTail = 256;                // bytes: several lines
constexpr double kMostStep = 1e15;

// Return, length and step; nothing for a header.
std::optional<std::array<double, 3>> read_line(std::string_view line) {
  std::array<double, 3> values{};
  for (double& value : values) {
    const std::size_t comma = line.find(',');
    const bool last = &value == &values.back();
    if ((comma == std::string_view::npos) != last) return std::nullopt;
    value = parse_number(line.substr(0, comma), std::numeric_limits<double>::quiet_NaN());
    if (std::isnan(value)) return std::nullopt;
    if (!last) line.remove_prefix(comma + 1);
  }
  return std::fabs(values[2]) < kMostStep ? std::optional(values) : std::nullopt;
}

}  // namespace

Episodes read_monitor(const fs::path& file) {
  Episodes episodes;
  for_each_line(read_text(file, kMostMonitor), [&](std::string_view line) {
    const auto values = read_line(line);
    if (!values) return;
    episodes.returns.push_back((*values)[0]);
    episodes.lengths.push_back((*values)[1]);
    episodes.steps.push_back((*values)[2]);
  });
  return episodes;
}

std::int64_t last_monitor_step(const fs::path& file) {
  std::int64_t step = 0;
  for_each_line(log_tail(file, kTail), [&](std::string_view line) {
    if (const auto values = read_line(line)) step = static_cast<std::int64_t>((*values)[2]);
  });
  return step;
}

}  // namespace tarl::store
