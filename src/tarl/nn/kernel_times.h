// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstddef>

namespace tarl::nn {

// What kernels do, by what can bound it.
enum class Work {
  kProducts,   // matrix products and convolutions: multiply-adds
  kOptimiser,  // steps, norms and target averaging: passes over all parameters
  kPasses,     // what moves or adds up activations: transposes, sums, gates
};
inline constexpr int kWorks = 3;

struct WorkDone {
  double seconds = 0;
  double operations = 0;  // of products, by dense count: 2 a multiply-add
  double bytes = 0;       // read and written, each operand once a call
  long calls = 0;
};

// While one lives, kernels note how long the thread that made it spends in them. Their results are
// the same; without it nothing is measured and nothing is slower. At most one at a time, and not
// made or ended while networks run.
class KernelTimes {
 public:
  KernelTimes();
  ~KernelTimes();  // NOLINT(bugprone-exception-escape)
  KernelTimes(const KernelTimes&) = delete;
  KernelTimes& operator=(const KernelTimes&) = delete;

  void clear();

  // Since the last clear(), less what the clock itself takes.
  WorkDone done(Work work) const;

  // Seconds that reading the clock has taken since.
  double overhead() const;

 private:
  double clock_seconds_ = 0;  // of one reading
};

}  // namespace tarl::nn
