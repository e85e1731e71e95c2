// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "tarl/inspect/candidates.h"
#include "tarl/rl/environment.h"

namespace tarl::inspect {

// Observations as page elements: drawn by the environment, or the newest frame of stacked frames,
// or else one bar per number, scaled by the largest over all sights.
class Pictures {
 public:
  explicit Pictures(const Candidates& candidates);

  std::string html(std::span<const std::byte> obs, const std::string& alt) const;

  // A sentence about what is drawn.
  std::string kind() const;

 private:
  std::vector<float> numbers(std::span<const std::byte> obs) const;
  std::string bars(std::span<const std::byte> obs, const std::string& alt) const;

  const rl::EnvSpec spec_;
  std::unique_ptr<rl::Environment> env_;
  bool draws_ = false;           // whether the environment does
  std::vector<double> largest_;  // per number, for bars
};

}  // namespace tarl::inspect
