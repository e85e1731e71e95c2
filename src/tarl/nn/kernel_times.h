// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstddef>

namespace tarl::nn {

// Kinds of kernel work, by what can bound them.
enum class Work {
  kProducts,   // matrix products and convolutions: multiply-adds
  kOptimiser,  // steps, norms and target averaging: passes over all parameters
  kPasses,     // moves or sums of activations: transposes, sums, gates
};
inline constexpr int kWorks = 3;

struct WorkDone {
  double seconds = 0;
  double operations = 0;  // of products, counted densely: 2 per multiply-add
  double bytes = 0;       // read and written, counting each operand once per call
  long calls = 0;
};

// While an instance exists, kernels record the time that the thread which created it spends in
// them. Results do not change, and without an instance there is no overhead. At most one may exist
// at a time; it must not be created or destroyed while networks run.
class KernelTimes {
 public:
  KernelTimes();
  ~KernelTimes();  // NOLINT(bugprone-exception-escape)
  KernelTimes(const KernelTimes&) = delete;
  KernelTimes& operator=(const KernelTimes&) = delete;

  void clear();

  // Since the last clear(), less the cost of reading the clock.
  WorkDone done(Work work) const;

  // Seconds spent reading the clock since then.
  double overhead() const;

 private:
  double clock_seconds_ = 0;  // of one reading
};

}  // namespace tarl::nn
