// SPDX-License-Identifier: MIT
//
// ReaPER's priorities in a buffer full of Freeway episodes (2501 steps), where an update of 64 rows
// touches most episodes: microseconds per update, compared with recomputing the weights of the
// touched episodes.
#include <cmath>
#include <cstdio>
#include <ctime>
#include <functional>
#include <vector>

#include "tarl/core/rng.h"
#include "tarl/replay/reaper.h"

namespace {

// Processor time, which excludes other processes on the machine.
double seconds_of(const std::function<void()>& work) {
  const std::clock_t start = std::clock();
  work();
  return static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
}

}  // namespace

int main() {
  constexpr std::int64_t kCapacity = 100'000, kLength = 2501;
  constexpr int kRows = 64, kUpdates = 500, kRounds = 20, kTouched = 80'000;
  tarl::replay::ReaperPriorities reaper({}, kCapacity, 1);
  for (std::int64_t n = 0; n < kCapacity + 30'000; ++n) {
    reaper.add(n % kCapacity, (n + 1) % kLength == 0);
  }
  tarl::Rng rng = tarl::seeded(1);
  std::vector<std::int64_t> slots(kRows);
  std::vector<double> errors(kRows);
  double updating = 0;
  for (int update = 0; update < kUpdates; ++update) {
    for (std::int64_t& slot : slots) slot = reaper.find(rng.uniform() * reaper.total()).slot;
    for (double& error : errors) error = 0.05 + 0.3 * std::fabs(rng.normal());
    updating += seconds_of([&] { reaper.update(slots, errors); });
  }
  double sum = 0;
  const double powers = seconds_of([&] {
    for (int i = 0; i < kRounds * kTouched; ++i) sum += std::pow(1.0 + i, 0.2);
  });
  std::printf("update of %d rows: %.0f us; powers it avoids: %.0f us (%.0e)\n", kRows,
              1e6 * updating / kUpdates, 1e6 * powers / kRounds, sum);
}
