// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <csignal>

namespace tarl::study {

// Whether this process ignores a signal, as nohup has it ignore SIGHUP. Blocked, such a signal
// would wait in line all the same.
bool is_ignored(int number);

// While it lives, signals that end programs (SIGINT, SIGTERM, SIGHUP, SIGUSR1) and SIGCHLD wait in
// line until pause() takes them, in this thread and in those it starts; those that the program was
// started to ignore stay ignored. A SIGHUP after another stop request counts for nothing: a
// terminal that closes sends more than one, and a second request means impatience. One at a time.
class SignalQueue {
 public:
  SignalQueue();
  ~SignalQueue();
  SignalQueue(const SignalQueue&) = delete;
  SignalQueue& operator=(const SignalQueue&) = delete;

  // Sleeps until a signal comes, at most that long; the number of stop requests so far.
  int pause(std::chrono::milliseconds longest);

  int stops() const { return stops_; }

 private:
  sigset_t waiting_{};
  sigset_t before_{};
  int stops_ = 0;
};

}  // namespace tarl::study
