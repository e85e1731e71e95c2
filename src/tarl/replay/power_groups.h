// SPDX-License-Identifier: MIT
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "tarl/replay/memory.h"
#include "tarl/replay/reaper_rows.h"

namespace tarl::replay {

// Rows worth factor * base^exponent, summed in groups of kRows neighbours, where adding the same
// amount to every base of a group costs O(1) instead of a power for each row.
//
// A closed group keeps the Taylor coefficients of its sum as a function of the amount added since
// it was closed, and is closed again before that amount exceeds 1/32 of its smallest base. Its sum
// is exact to 1e-12 for exponents in [0, 2]: the terms left out are below |binom(exponent,
// 7)| / 32^7. The value of one row is updated by the same series, to the last bit or two.
//
// An open group is filled by its owner: its values may be anything and it is never shifted.
class PowerGroups {
 public:
  static constexpr std::int64_t kRows = kPowerRows;
  static constexpr double kBytesPerRow = 28;  // at most, for estimates before construction

  // Blocks start open, their rows zero.
  PowerGroups(std::int64_t rows, double exponent);

  std::int64_t groups() const { return static_cast<std::int64_t>(group_.size()); }

  std::size_t memory_bytes() const { return row_.bytes() + group_.size() * sizeof(PowerGroup); }

  // A row as stored: base and value without its group's shift.
  const PowerRow& row(std::int64_t i) const { return row_[i]; }

  PowerRow& row(std::int64_t i) { return row_[i]; }

  double shift_of(std::int64_t group) const { return group_[group].shift; }

  bool closed(std::int64_t group) const { return group_[group].closed != 0; }

  // base^exponent, and 0 for bases that rounding pushed below 0.
  double power(double base) const { return base > 0 ? std::pow(base, exponent_) : 0; }

  // Of closed groups.
  double sum(std::int64_t group) const { return group_[group].sum; }

  double smallest_base(std::int64_t group) const {
    return group_[group].smallest + group_[group].shift;
  }

  void shift(std::int64_t group, double amount);  // added to every base

  // factor * (base + amount)^exponent, for a row whose value matches its factor and base.
  double value_after(const PowerRow& row, double amount) const;

  // Hands a group to its owner, with matching bases and values.
  void open(std::int64_t group);

  // Sets the values of rows of an open group from their factors and bases.
  void refresh(std::int64_t first, std::int64_t last);

  // Makes a group shiftable. Requires kRows rows, matching values and ascending bases.
  void close(std::int64_t group);

  // The exact groups, for saving; the owner saves the rows.
  const std::vector<PowerGroup>& groups_as_stored() const { return group_; }

  void set_groups(std::vector<PowerGroup> groups) { group_ = std::move(groups); }

 private:
  double exponent_;
  PowerSeries binomial_;
  ZeroedArray<PowerRow> row_;
  std::vector<PowerGroup> group_;
};

}  // namespace tarl::replay
