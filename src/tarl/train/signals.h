// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <csignal>

namespace tarl::train {

// While it lives, SIGINT, SIGTERM, SIGUSR1 (a cluster's warning) and SIGHUP (a terminal that
// closes) ask for a stop instead of ending the process: poll stop_requested() in every loop. A
// second signal ends the process at once, with exit code 128 + its number; not so SIGHUP, which the
// shell and the kernel both send. SIGHUP stays ignored where it was, as under nohup; SIGPIPE is
// always: a closed terminal must not end a run. The handlers that were there before come back at
// the end, unless a stop was asked for: a second signal means the same while the process is on its
// way out. One made while another lives changes nothing.
class SignalGuard {
 public:
  SignalGuard();
  ~SignalGuard();
  SignalGuard(const SignalGuard&) = delete;
  SignalGuard& operator=(const SignalGuard&) = delete;

 private:
  bool first_;  // no other one lives
  std::array<struct sigaction, 5> before_{};
};

// True from the first signal until the next first SignalGuard is made.
bool stop_requested();

// The number of that signal, 0 where there was none.
int stop_signal();

}  // namespace tarl::train
