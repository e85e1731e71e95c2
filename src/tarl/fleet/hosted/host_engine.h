// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <mutex>
#include <vector>

#include "tarl/core/core_pool.h"

namespace tarl::fleet {

class HostedRun;

// The cores that step the environments of many runs, and the turns in which those runs advance. No
// thread just waits: a core that has finished its step, or has none to make, takes a turn, unless
// another thread is taking one. A turn collects what the cores have finished, lets every run
// advance as far as it can without waiting, and sends their requests to the device together.
class HostEngine {
 public:
  struct Options {
    std::vector<int> cpus;  // as for CorePool
    // Ends every turn: starts what runs have requested and finds what has finished. Returns whether
    // there was any of either.
    std::function<bool()> device = {};
  };

  explicit HostEngine(const Options& options);
  HostEngine(const HostEngine&) = delete;
  HostEngine& operator=(const HostEngine&) = delete;

  // Whether anything happened. Any thread may call it at any time.
  bool turn();

  // The rest is for runs, which hold the lock when they call it.
  std::unique_lock<std::mutex> lock() { return std::unique_lock(mutex_); }

  CorePool& pool() { return pool_; }

  void add(HostedRun& run);
  void remove(HostedRun& run);
  // Who is told when a group arrives; null: nobody any more.
  void route(int group, HostedRun* run);

 private:
  bool receive();

  const std::function<bool()> device_;
  std::mutex mutex_;
  std::vector<HostedRun*> runs_;
  std::vector<HostedRun*> owners_;  // [group], null: nobody
  CorePool pool_;                   // last: its threads take turns until they end
};

}  // namespace tarl::fleet
