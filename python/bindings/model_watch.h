// SPDX-License-Identifier: MIT
#pragma once

#include <atomic>
#include <cstdint>
#include <exception>
#include <span>
#include <string>
#include <vector>

#include <nanobind/nanobind.h>

#include "tarl/store/logs.h"

namespace tarl::python {

// The callbacks of one learn(), by event. An exception in one, or the return value False, requests
// a stop after the step; after an exception no more are called.
class ModelWatch {
 public:
  // `hooks` has lists of functions under "step" (pairs with the interval in environment steps),
  // "episode", "evaluation", "log" and "checkpoint". Each is called with `model` first.
  ModelWatch(nanobind::handle model, const nanobind::dict& hooks, std::int64_t step);

  // Called without the GIL.
  void stepped(std::int64_t step);
  void episode(double ret, std::int64_t length, std::int64_t step);
  void row(std::int64_t step, const store::LogRow& row);
  void evaluation(std::int64_t step, std::span<const double> returns,
                  std::span<const std::int64_t> lengths);
  void checkpointed(std::int64_t step);

  // With the GIL: records what a signal handler raised, if one did.
  void look_for_signals();

  bool wants_stop() const { return stop_.load(std::memory_order_relaxed); }

  void ask_for_stop() { stop_.store(true, std::memory_order_relaxed); }

  // Throws what a callback or a signal handler raised.
  void rethrow() const;

  int traverse(visitproc visit, void* arg) const;

 private:
  struct StepHook {
    nanobind::object call;
    std::int64_t every = 1;
    std::int64_t next = 0;
  };

  template <class... Arguments>
  void tell(nanobind::handle call, const Arguments&... arguments);
  void keep_failure();

  nanobind::handle model_;  // the caller's, which outlives this
  std::vector<StepHook> steps_;
  std::int64_t next_step_;  // the earliest of those
  std::vector<nanobind::object> episodes_, evaluations_, rows_, checkpoints_;
  std::atomic<bool> stop_{false};
  std::exception_ptr failure_;
};

}  // namespace tarl::python
