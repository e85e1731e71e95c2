// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <csignal>

namespace tarl::study {

// Whether this process ignores a signal, as SIGHUP under nohup. If blocked, even an ignored signal
// would be queued.
bool is_ignored(int number);

// During its lifetime, terminating signals (SIGINT, SIGTERM, SIGHUP, SIGUSR1) and SIGCHLD stay
// pending until pause() takes them, in this thread and those it starts; signals ignored from the
// start stay ignored. A SIGHUP after another stop request does not count: a closing terminal sends
// several, and a second request means impatience. At most one may exist.
class SignalQueue {
 public:
  SignalQueue();
  ~SignalQueue();
  SignalQueue(const SignalQueue&) = delete;
  SignalQueue& operator=(const SignalQueue&) = delete;

  // Sleeps until a signal arrives, at most that long; returns the number of stop requests so far.
  int pause(std::chrono::milliseconds longest);

  int stops() const { return stops_; }

 private:
  sigset_t waiting_{};
  sigset_t before_{};
  int stops_ = 0;
};

}  // namespace tarl::study
