// SPDX-License-Identifier: MIT
#include "tarl/study/signal_queue.h"

#include <ctime>

namespace tarl::study {

SignalQueue::SignalQueue() {
  ::sigemptyset(&waiting_);
  for (const int number : {SIGINT, SIGTERM, SIGHUP, SIGUSR1, SIGCHLD}) {
    ::sigaddset(&waiting_, number);
  }
  ::pthread_sigmask(SIG_BLOCK, &waiting_, &before_);
}

SignalQueue::~SignalQueue() {
  // What nobody took must not end the program now that it is on its way out.
  const timespec now{};
  while (::sigtimedwait(&waiting_, nullptr, &now) > 0) {
  }
  ::pthread_sigmask(SIG_SETMASK, &before_, nullptr);
}

int SignalQueue::pause(std::chrono::milliseconds longest) {
  timespec time{longest.count() / 1000, longest.count() % 1000 * 1'000'000};
  int number = ::sigtimedwait(&waiting_, nullptr, &time);
  time = {};
  while (number > 0) {
    if (number != SIGCHLD) ++stops_;
    number = ::sigtimedwait(&waiting_, nullptr, &time);
  }
  return stops_;
}

}  // namespace tarl::study
