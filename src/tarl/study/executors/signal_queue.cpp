// SPDX-License-Identifier: MIT
#include "tarl/study/executors/signal_queue.h"

#include <ctime>

namespace tarl::study {

bool is_ignored(int number) {
  struct sigaction now {};

  return ::sigaction(number, nullptr, &now) == 0 && now.sa_handler == SIG_IGN;
}

SignalQueue::SignalQueue() {
  ::sigemptyset(&waiting_);
  for (const int number : {SIGINT, SIGTERM, SIGHUP, SIGUSR1}) {
    if (!is_ignored(number)) ::sigaddset(&waiting_, number);
  }

  // If SIGCHLD is ignored, children leave no exit status.
  struct sigaction standard {};

  standard.sa_handler = SIG_DFL;
  ::sigaction(SIGCHLD, &standard, nullptr);
  ::sigaddset(&waiting_, SIGCHLD);
  ::pthread_sigmask(SIG_BLOCK, &waiting_, &before_);
}

SignalQueue::~SignalQueue() {
  // A pending signal must not kill the program during shutdown.
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
    if (number != SIGCHLD && (number != SIGHUP || stops_ == 0)) ++stops_;
    number = ::sigtimedwait(&waiting_, nullptr, &time);
  }
  return stops_;
}

}  // namespace tarl::study
