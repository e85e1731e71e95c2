// SPDX-License-Identifier: MIT
#include "tarl/train/signals.h"

#include <atomic>

#include <unistd.h>

namespace tarl::train {

namespace {

constexpr std::array<int, 4> kSignals = {SIGINT, SIGTERM, SIGUSR1, SIGPIPE};

std::atomic<int> g_signal{0};
static_assert(std::atomic<int>::is_always_lock_free, "the handler may not lock");

extern "C" void handle_stop(int number) {
  int none = 0;
  if (!g_signal.compare_exchange_strong(none, number)) ::_exit(128 + number);
}

}  // namespace

SignalGuard::SignalGuard() {
  g_signal.store(0);
  for (std::size_t i = 0; i < kSignals.size(); ++i) {
    struct sigaction action {};

    action.sa_handler = kSignals[i] == SIGPIPE ? SIG_IGN : handle_stop;
    action.sa_flags = SA_RESTART;  // writes and syncs under way go on
    ::sigemptyset(&action.sa_mask);
    ::sigaction(kSignals[i], &action, &before_[i]);
  }
}

SignalGuard::~SignalGuard() {
  if (stop_requested()) return;
  for (std::size_t i = 0; i < kSignals.size(); ++i) {
    ::sigaction(kSignals[i], &before_[i], nullptr);
  }
}

bool stop_requested() {
  return g_signal.load(std::memory_order_relaxed) != 0;
}

int stop_signal() {
  return g_signal.load(std::memory_order_relaxed);
}

}  // namespace tarl::train
