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

// Observations as elements of a page: as the environment draws them, or the newest frame of those
// that are frames, or else a bar for each number, scaled by the largest of all sights.
class Pictures {
 public:
  explicit Pictures(const Candidates& candidates);

  std::string html(std::span<const std::byte> obs, const std::string& alt) const;

  // What is drawn, in a sentence.
  std::string kind() const;

 private:
  std::vector<float> numbers(std::span<const std::byte> obs) const;
  std::string bars(std::span<const std::byte> obs, const std::string& alt) const;

  const rl::EnvSpec spec_;
  std::unique_ptr<rl::Environment> env_;
  bool draws_ = false;           // whether the environment does
  std::vector<double> largest_;  // by number, where bars are drawn
};

}  // namespace tarl::inspect
