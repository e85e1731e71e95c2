// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "tarl/train/config.h"

namespace tarl::fleet {

// Memory of a run, about: its replay when it is full, and its networks.
struct Needs {
  double device_bytes = 0;
  double host_bytes = 0;
};

// Requires a run that a fleet can compute.
Needs needs_of(const train::RunConfig& config);

// Of the largest `at_once` of those runs together, whichever come first.
Needs needs_together(std::span<const Needs> runs, std::size_t at_once);

// How many of those runs, the largest first, fit side by side into so much memory.
std::size_t fitting(std::span<const Needs> runs, const Needs& room);

// Throws UsageError where so many runs do not fit into a device with so many bytes free, or into
// this machine's memory; `advice` says what to do, once the message has said how many would fit.
void refuse_more_than_fit(std::span<const Needs> runs, std::size_t at_once, double device_bytes,
                          const std::string& advice);

std::string bytes_text(double bytes);

}  // namespace tarl::fleet
