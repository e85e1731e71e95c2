// SPDX-License-Identifier: MIT
#include "tarl/replay/power_groups.h"

namespace tarl::replay {

PowerGroups::PowerGroups(std::int64_t rows, double exponent)
    : exponent_(exponent),
      binomial_(power_series(exponent)),
      row_(rows),
      group_((rows + kRows - 1) / kRows) {}

void PowerGroups::shift(std::int64_t group, double amount) {
  PowerGroup& b = group_[group];
  b.shift += amount;
  if (std::fabs(b.shift) < kPowerReach * b.smallest) {
    double sum = b.coefficient[kPowerOrder];
    for (int k = kPowerOrder - 1; k >= 0; --k) sum = sum * b.shift + b.coefficient[k];
    b.sum = sum;
    return;
  }
  // Exact from here on, so that the rounding of many small steps does not accumulate.
  open(group);
  refresh(group * kRows, (group + 1) * kRows);
  close(group);
}

double PowerGroups::value_after(const PowerRow& row, double amount) const {
  const double ratio = amount / row.base;
  if (!(std::fabs(ratio) < kPowerReach)) return row.factor * power(row.base + amount);
  double growth = binomial_[kRowOrder];
  for (int k = kRowOrder - 1; k >= 0; --k) growth = growth * ratio + binomial_[k];
  return row.value * growth;
}

void PowerGroups::open(std::int64_t group) {
  PowerGroup& b = group_[group];
  b.closed = 0;
  if (b.shift == 0) return;
  for (std::int64_t i = group * kRows; i < (group + 1) * kRows; ++i) {
    row_[i].value = value_after(row_[i], b.shift);
    row_[i].base += b.shift;
  }
  b.shift = 0;
}

void PowerGroups::refresh(std::int64_t first, std::int64_t last) {
  for (std::int64_t i = first; i < last; ++i) row_[i].value = row_[i].factor * power(row_[i].base);
}

void PowerGroups::close(std::int64_t group) {
  PowerGroup& b = group_[group];
  b = {};
  // (base + x)^e = sum over k of binom(e, k) base^(e - k) x^k, and base^(e - k) from base^e by
  // division.
  for (std::int64_t i = group * kRows; i < (group + 1) * kRows; ++i) {
    const double inverse = 1.0 / row_[i].base;
    double term = row_[i].value;
    for (int k = 0; k <= kPowerOrder; ++k, term *= inverse) b.coefficient[k] += term;
  }
  for (int k = 0; k <= kPowerOrder; ++k) b.coefficient[k] *= binomial_[k];
  b.sum = b.coefficient[0];
  b.smallest = row_[group * kRows].base;
  b.closed = 1;
}

}  // namespace tarl::replay
