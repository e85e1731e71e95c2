// SPDX-License-Identifier: MIT
#include "tarl/core/threads.h"

#include <string>
#include <system_error>
#include <utility>

#include "tarl/core/cpu_pause.h"
#include "tarl/core/error.h"

namespace tarl {

namespace {

// Spins for a few microseconds (an update's phases are that short), then yields the core, so that
// an idle team, or one larger than the machine, does not burn it.
class Backoff {
 public:
  void pause() {
    if (++spins_ < 4000) {
      cpu_pause();
    } else {
      std::this_thread::yield();
    }
  }

 private:
  int spins_ = 0;
};

}  // namespace

Team::Team(int size) : size_(size < 1 ? 1 : size), failures_(static_cast<std::size_t>(size_)) {
  try {
    for (int rank = 1; rank < size_; ++rank) {
      threads_.emplace_back([this, rank] { member_loop(rank); });
    }
  } catch (const std::system_error& problem) {
    stop();
    throw Error("cannot start " + std::to_string(size_) + " threads: " + problem.what() +
                "; ask for fewer");
  }
}

Team::~Team() {
  stop();
}

void Team::stop() {
  stopping_.store(true);
  generation_.fetch_add(1, std::memory_order_release);
  generation_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

void Team::member_loop(int rank) {
  int seen = 0;
  while (true) {
    Backoff backoff;
    for (int spins = 0; generation_.load(std::memory_order_acquire) == seen; ++spins) {
      if (spins > 20000) {
        generation_.wait(seen, std::memory_order_acquire);
      } else {
        backoff.pause();
      }
    }
    seen = generation_.load(std::memory_order_acquire);
    if (stopping_.load()) return;
    invoke(rank);
    done_.fetch_add(1, std::memory_order_release);
  }
}

void Team::invoke(int rank) {
  try {
    call_(context_, rank);
  } catch (...) {
    failures_[static_cast<std::size_t>(rank)] = std::current_exception();
  }
}

void Team::run_all(Call call, void* context) {
  call_ = call;
  context_ = context;
  done_.store(0, std::memory_order_relaxed);
  generation_.fetch_add(1, std::memory_order_release);
  generation_.notify_all();
  invoke(0);
  Backoff backoff;
  while (done_.load(std::memory_order_acquire) < size_ - 1) backoff.pause();
  std::exception_ptr first;
  for (std::exception_ptr& failure : failures_) {
    std::exception_ptr taken = std::exchange(failure, nullptr);
    if (!first) first = std::move(taken);
  }
  if (first) std::rethrow_exception(first);
}

void Team::barrier() {
  if (size_ == 1) return;
  const int phase = phase_.load(std::memory_order_relaxed);
  if (waiting_.fetch_add(1, std::memory_order_acq_rel) == size_ - 1) {
    waiting_.store(0, std::memory_order_relaxed);
    phase_.store(phase + 1, std::memory_order_release);
    return;
  }
  Backoff backoff;
  while (phase_.load(std::memory_order_acquire) == phase) backoff.pause();
}

}  // namespace tarl
