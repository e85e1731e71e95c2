// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <string>

#include "tarl/core/files.h"

namespace tarl::selftest {

// Sees, from outside, when a run starts to write a checkpoint and when it is done.
class CheckpointWatch {
 public:
  // Creates the folder of the checkpoints, so that it can be watched from the start.
  explicit CheckpointWatch(const fs::path& checkpoints);
  ~CheckpointWatch();
  CheckpointWatch(const CheckpointWatch&) = delete;
  CheckpointWatch& operator=(const CheckpointWatch&) = delete;

  // Returns true when `writes` more checkpoints have been begun, false once `over` says so.
  bool wait_for_writes(int writes, const std::function<bool()>& over);

  // Mean time from a beginning to the end of its write; 0 before the first.
  std::chrono::microseconds write_time() const;

 private:
  using Clock = std::chrono::steady_clock;
  int take_events();  // how many writes were begun

  int descriptor_ = -1;
  Clock::time_point begun_{};
  Clock::duration total_{};
  int writes_ = 0;
};

// What a write cut short leaves behind, and when it was last touched.
std::map<std::string, fs::file_time_type> unfinished_writes(const fs::path& checkpoints);

}  // namespace tarl::selftest
