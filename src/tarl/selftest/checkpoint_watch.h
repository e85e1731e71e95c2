// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <string>

#include "tarl/core/files.h"

namespace tarl::selftest {

// Observes from outside when a run starts and finishes writing a checkpoint.
class CheckpointWatch {
 public:
  // Creates the folder of the checkpoints, so that it can be watched from the start.
  explicit CheckpointWatch(const fs::path& checkpoints);
  ~CheckpointWatch();
  CheckpointWatch(const CheckpointWatch&) = delete;
  CheckpointWatch& operator=(const CheckpointWatch&) = delete;

  // Returns true when `writes` more checkpoints have been begun, false once `over` returns true.
  bool wait_for_writes(int writes, const std::function<bool()>& over);

  // Mean duration of a write; 0 before the first.
  std::chrono::microseconds write_time() const;

 private:
  using Clock = std::chrono::steady_clock;
  int take_events();  // number of writes begun

  int descriptor_ = -1;
  Clock::time_point begun_{};
  Clock::duration total_{};
  int writes_ = 0;
};

// What an interrupted write leaves behind, and when it was last modified.
std::map<std::string, fs::file_time_type> unfinished_writes(const fs::path& checkpoints);

}  // namespace tarl::selftest
