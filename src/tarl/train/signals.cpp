// SPDX-License-Identifier: MIT
#include "tarl/train/signals.h"

#include <atomic>

#include <unistd.h>

namespace tarl::train {

namespace {

constexpr std::array<int, 5> kSignals = {SIGINT, SIGTERM, SIGUSR1, SIGHUP, SIGPIPE};

std::atomic<int> g_signal{0};
std::atomic<bool> g_guarded{false};
static_assert(std::atomic<int>::is_always_lock_free, "the handler may not lock");

extern "C" void handle_stop(int number) {
  int none = 0;
  if (g_signal.compare_exchange_strong(none, number) || number == SIGHUP) return;
  ::_exit(128 + number);
}

bool was_ignored(const struct sigaction& before) {
  return (before.sa_flags & SA_SIGINFO) == 0 && before.sa_handler == SIG_IGN;
}

}  // namespace

SignalGuard::SignalGuard() : first_(!g_guarded.exchange(true)) {
  if (!first_) return;
  g_signal.store(0);
  for (std::size_t i = 0; i < kSignals.size(); ++i) {
    struct sigaction action {};

    action.sa_handler = kSignals[i] == SIGPIPE ? SIG_IGN : handle_stop;
    action.sa_flags = SA_RESTART;  // writes and syncs in progress continue
    ::sigemptyset(&action.sa_mask);
    ::sigaction(kSignals[i], &action, &before_[i]);
    if (kSignals[i] == SIGHUP && was_ignored(before_[i])) {
      ::sigaction(SIGHUP, &before_[i], nullptr);
    }
  }
}

SignalGuard::~SignalGuard() {
  if (!first_) return;
  g_guarded = false;
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
