// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <csignal>

namespace tarl::train {

// While it lives, SIGINT, SIGTERM and SIGUSR1 (a cluster's warning) ask for a stop instead of
// ending the process: poll stop_requested() in every loop. A second signal ends the process at
// once, with exit code 128 + its number. SIGPIPE is ignored: a closed terminal must not end a run.
// The handlers that were there before come back at the end, unless a stop was asked for: a second
// signal means the same while the process is on its way out. One at a time.
class SignalGuard {
 public:
  SignalGuard();
  ~SignalGuard();
  SignalGuard(const SignalGuard&) = delete;
  SignalGuard& operator=(const SignalGuard&) = delete;

 private:
  std::array<struct sigaction, 4> before_{};
};

// True from the first signal until the next SignalGuard is made.
bool stop_requested();

// The number of that signal, 0 where there was none.
int stop_signal();

}  // namespace tarl::train
