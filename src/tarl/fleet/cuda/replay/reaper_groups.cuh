// SPDX-License-Identifier: MIT
#pragma once

#include "tarl/fleet/minatar_dqn/cuda/agent_view.cuh"

// replay::PowerGroups on one warp: lane i holds row i of a group.
namespace tarl::fleet {

using replay::kLeastReliability;
using replay::kPowerOrder;
using replay::kPowerReach;
using replay::kPowerRows;
using replay::kRowOrder;
using replay::PowerGroup;
using replay::PowerRow;
using replay::ReaperEpisode;

// For positive bases and exponents of at most 2: accurate to a few parts in 1e16 and half the cost
// of the general pow. Out of line, like the series below: both have many call sites, and
// instruction cache misses are expensive.
static __device__ __noinline__ double quick_power(double base, double exponent) {
  return exp2(exponent * log2(base));
}

__device__ inline double power(double base, double exponent) {
  return base > 0 ? quick_power(base, exponent) : 0.0;
}

// Sums of eight values over a warp for the cost of two: each reduction step halves the number of
// values per lane. Lane l receives the sum of value 4 (l / 16) + 2 (l / 8 % 2) + l / 4 % 2.
__device__ inline double warp_sum_of_eight(double (&v)[8]) {
#pragma unroll
  for (int half = 4; half >= 1; half /= 2) {
    const bool upper = (lane_id() & (half * 4)) != 0;
#pragma unroll
    for (int i = 0; i < half; ++i) {
      const double sent = upper ? v[i] : v[i + half];
      const double kept = upper ? v[i + half] : v[i];
      v[i] = kept + __shfl_xor_sync(kFullWarp, sent, half * 4);
    }
  }
  v[0] += __shfl_xor_sync(kFullWarp, v[0], 2);
  v[0] += __shfl_xor_sync(kFullWarp, v[0], 1);
  return v[0];
}

// (1 + ratio)^omega for a small ratio.
__device__ inline double growth_of(const AgentSpec& spec, double ratio) {
  double growth = spec.omega_over[kRowOrder];
#pragma unroll
  for (int k = kRowOrder - 1; k >= 0; --k) growth = growth * ratio + spec.omega_over[k];
  return growth;
}

// factor * (base + amount)^omega. Requires a row whose value matches its factor and base.
__device__ inline double value_after(const AgentSpec& spec, const PowerRow& row, double amount) {
  const double ratio = amount / row.base;
  if (!(fabs(ratio) < kPowerReach)) return row.factor * power(row.base + amount, spec.omega);
  return row.value * growth_of(spec, ratio);
}

__device__ inline void apply_shift(const AgentSpec& spec, PowerRow& row, double shift) {
  row.value = value_after(spec, row, shift);
  row.base += shift;
}

// Makes a group of these rows shiftable. Requires a full group, matching values and ascending
// bases. Lane 0 receives the sum of the values.
__device__ inline double close_group(const AgentSpec& spec, const ReaperView& view,
                                     std::int64_t group, const PowerRow& row) {
  const double inverse = 1.0 / row.base;
  double term[8];
  term[0] = row.value;
#pragma unroll
  for (int k = 1; k <= kPowerOrder; ++k) term[k] = term[k - 1] * inverse;
  term[7] = 0;
  const double sum = warp_sum_of_eight(term);
  const int k = lane_id() / 16 * 4 + lane_id() / 8 % 2 * 2 + lane_id() / 4 % 2;
  PowerGroup& b = view.group[group];
  if (lane_id() % 4 == 0 && k <= kPowerOrder) {
    b.coefficient[k] = sum * spec.omega_over[k];
  }
  if (lane_id() == 0) {
    b.shift = 0;
    b.smallest = row.base;
    b.sum = sum;
    b.closed = 1;
  }
  __syncwarp();
  return sum;
}

// One lane: adds to every base of a closed group. Returns false if the total shift leaves the range
// of the series; the group must then be closed anew.
__device__ inline bool shift_group(PowerGroup& b, double amount) {
  b.shift += amount;
  if (!(fabs(b.shift) < kPowerReach * b.smallest)) return false;
  double sum = b.coefficient[kPowerOrder];
  for (int k = kPowerOrder - 1; k >= 0; --k) sum = sum * b.shift + b.coefficient[k];
  b.sum = sum;
  return true;
}

}  // namespace tarl::fleet
