// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <deque>
#include <functional>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "tarl/study/executors/executor.h"

namespace tarl::study {

// One attempt at a run.
struct Attempt {
  const PlannedRun* run = nullptr;
  int number = 0;  // 1 for the first
  std::chrono::steady_clock::time_point started{};
};

// The queue of runs and their outcomes: which may start now, which are retried and when, which are
// given up. Executors only start, watch and stop. Thread-safe.
class RunQueue {
 public:
  struct Retries {
    int most = 0;                       // after the first attempt
    std::chrono::milliseconds delay{};  // times the number of attempts so far
  };

  // Others who are at work on the same runs. What they hold is left to them, what they have ended
  // is not begun again.
  struct Company {
    std::function<bool(const PlannedRun&)> holds;
    std::function<bool(const PlannedRun&)> has_ended;  // asked of what nobody holds
  };

  RunQueue(std::span<const PlannedRun> runs, Retries retries, std::optional<Company> company = {});

  // Begins an attempt at the first run that is due and whose folder is not in use: by another
  // program, or by the children of a killed study that are still saving.
  std::optional<Attempt> take();

  // Another was faster: the attempt does not count.
  void put_back(const Attempt& attempt);

  // How the attempt goes on. `hopeless`: it would end the same way from the same checkpoint.
  void started(const Attempt& attempt);
  void finished(const Attempt& attempt);
  void stopped(const Attempt& attempt);
  void failed(const Attempt& attempt, const std::string& why, bool hopeless);

  // Events since the last call, in order.
  std::vector<RunEvent> take_events();

  // Whether there is anything to wait for. In company, what others hold is nothing once all
  // attempts are over.
  bool any_waiting() const;

  // The overall result once no attempt is in progress.
  Execution outcome() const;

 private:
  struct Waiting {
    const PlannedRun* run = nullptr;
    int attempts = 0;
    bool told_in_use = false;
    bool held = false;  // by others, when it was looked at last
    std::chrono::steady_clock::time_point not_before{};
  };

  void end_attempt();
  bool is_held(const PlannedRun& run) const;
  void pass_over(Waiting& run, std::chrono::steady_clock::time_point now);
  void tell(RunEvent::Kind kind, const Attempt& attempt, std::string detail = "",
            bool hopeless = false);

  const Retries retries_;
  const std::optional<Company> company_;
  mutable std::mutex mutex_;
  std::deque<Waiting> waiting_;
  std::vector<RunEvent> events_;
  int under_way_ = 0;  // attempts
  bool any_given_up_ = false;
};

}  // namespace tarl::study
