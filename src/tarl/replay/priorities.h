// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "tarl/core/state.h"

namespace tarl::replay {

inline constexpr const char* kPrioritiesGroup = "priorities";  // of a replay's state

// How likely each slot of a storage is to be drawn: in proportion to a weight derived from the
// observed errors. Implemented by PER, ReaPER and alignment priorities.
class Priorities {
 public:
  struct Found {
    std::int64_t slot = 0;
    double weight = 0;
  };

  virtual ~Priorities() = default;

  // A new transition was stored in `slot`, the one after the slot added last; `done` ends its
  // episode.
  virtual void add(std::int64_t slot, bool done) = 0;

  // New absolute errors (or scores) of slots that were drawn. Throws NonFiniteError and changes
  // nothing if one is NaN or infinite.
  virtual void update(std::span<const std::int64_t> slots, std::span<const double> values) = 0;

  virtual double total() const = 0;
  virtual double weight(std::int64_t slot) const = 0;

  // The smallest slot whose inclusive prefix sum of weights exceeds `mass`. With several lanes the
  // order of slots may be any fixed one. Requires total() > 0.
  virtual Found find(double mass) const = 0;

  virtual void on_target_sync() {}

  virtual std::size_t memory_bytes() const = 0;
  virtual void save(StateWriter& out) const = 0;
  virtual void load(const StateReader& in) = 0;
};

// Throws NonFiniteError if a value is NaN or infinite: one such weight would corrupt every later
// draw.
void require_finite(std::span<const double> values);

}  // namespace tarl::replay
