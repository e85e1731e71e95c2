// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <mutex>
#include <vector>

#include "tarl/core/core_pool.h"

namespace tarl::fleet {

class HostedRun;

// The cores that step the environments of many runs, and the turns in which those runs move on. No
// thread only waits: a core that has made its step, or has nothing to step, takes a turn, unless
// another is at it. A turn receives what the cores have done, asks every run to move on as far as
// it can without waiting, and lets the device have what they asked of it together.
class HostEngine {
 public:
  struct Options {
    std::vector<int> cpus;  // as CorePool's
    // The end of every turn: begins what runs asked for, finds what is over. Says whether there was
    // anything of the kind.
    std::function<bool()> device = {};
  };

  explicit HostEngine(const Options& options);
  HostEngine(const HostEngine&) = delete;
  HostEngine& operator=(const HostEngine&) = delete;

  // Whether anything happened. Any thread may call it at any time.
  bool turn();

  // The rest is for runs, who hold the lock for it.
  std::unique_lock<std::mutex> lock() { return std::unique_lock(mutex_); }

  CorePool& pool() { return pool_; }

  void add(HostedRun& run);
  void remove(HostedRun& run);
  // Whom to tell of a group that arrives; null: nobody any more.
  void route(int group, HostedRun* run);

 private:
  bool receive();

  const std::function<bool()> device_;
  std::mutex mutex_;
  std::vector<HostedRun*> runs_;
  std::vector<HostedRun*> owners_;  // [group], null: nobody
  CorePool pool_;                   // last: its threads take turns until they are gone
};

}  // namespace tarl::fleet
