// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <csignal>

namespace tarl::train {

// During its lifetime SIGINT, SIGTERM, SIGUSR1 (a cluster's warning) and SIGHUP (a terminal that
// closes) request a stop instead of ending the process: poll stop_requested() in every loop. A
// second signal ends the process at once, with exit code 128 + its number; except SIGHUP, which
// both the shell and the kernel send. SIGHUP stays ignored if it was, as under nohup; SIGPIPE is
// always ignored: a closed terminal must not end a run. The destructor restores the previous
// handlers unless a stop was requested: a second signal keeps its meaning while the process shuts
// down. A nested guard has no effect.
class SignalGuard {
 public:
  SignalGuard();
  ~SignalGuard();
  SignalGuard(const SignalGuard&) = delete;
  SignalGuard& operator=(const SignalGuard&) = delete;

 private:
  bool first_;  // no other guard exists
  std::array<struct sigaction, 5> before_{};
};

// True from the first signal until the next outermost SignalGuard.
bool stop_requested();

// The number of that signal; 0 if there was none.
int stop_signal();

}  // namespace tarl::train
