// SPDX-License-Identifier: MIT
#include "tarl/fleet/needs.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <functional>

#include "tarl/core/error.h"
#include "tarl/core/formats/number.h"
#include "tarl/core/machine.h"
#include "tarl/fleet/device_run.h"

namespace tarl::fleet {

namespace {

// Those of each kind of memory, the largest first.
std::vector<double> sorted(std::span<const Needs> runs, double Needs::*kind) {
  std::vector<double> bytes;
  for (const Needs& run : runs) bytes.push_back(run.*kind);
  std::ranges::sort(bytes, std::greater<>());
  return bytes;
}

double sum_of_first(const std::vector<double>& bytes, std::size_t count) {
  double sum = 0;
  for (std::size_t i = 0; i < std::min(count, bytes.size()); ++i) sum += bytes[i];
  return sum;
}

std::size_t fitting_of(const std::vector<double>& bytes, double room) {
  std::size_t count = 0;
  for (double sum = 0; count < bytes.size() && sum + bytes[count] <= room; ++count) {
    sum += bytes[count];
  }
  return count;
}

}  // namespace

Needs needs_of(const train::RunConfig& config) {
  return program_for(config).needs(config);
}

Needs needs_together(std::span<const Needs> runs, std::size_t at_once) {
  return {sum_of_first(sorted(runs, &Needs::device_bytes), at_once),
          sum_of_first(sorted(runs, &Needs::host_bytes), at_once)};
}

std::size_t fitting(std::span<const Needs> runs, const Needs& room) {
  return std::min(fitting_of(sorted(runs, &Needs::device_bytes), room.device_bytes),
                  fitting_of(sorted(runs, &Needs::host_bytes), room.host_bytes));
}

void refuse_more_than_fit(std::span<const Needs> runs, std::size_t at_once, double device_bytes,
                          const std::string& advice) {
  const Needs room{device_bytes, usable_memory_bytes()};
  const Needs wanted = needs_together(runs, at_once);
  const bool device = wanted.device_bytes > room.device_bytes;
  if (!device && wanted.host_bytes <= room.host_bytes) return;
  throw UsageError(plural(std::min(at_once, runs.size()), "run") + " at a time would need about " +
                   bytes_text(device ? wanted.device_bytes : wanted.host_bytes) +
                   (device ? " of GPU memory, of which " : " of this machine's memory, of which ") +
                   bytes_text(device ? room.device_bytes : room.host_bytes) + " can be used (" +
                   std::to_string(fitting(runs, room)) + " fit); " + advice);
}

std::string bytes_text(double bytes) {
  char text[32];
  std::snprintf(text, sizeof text, bytes < 1e9 ? "%.0f MB" : "%.1f GB",
                bytes < 1e9 ? std::max(1.0, std::ceil(bytes / 1e6)) : bytes / 1e9);
  return text;
}

}  // namespace tarl::fleet
