// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

#include "tarl/train/loop.h"

namespace tarl::cli {

// Shows a run on the terminal: one line redrawn in place, or plain lines after evaluations if the
// output is not a terminal.
class ProgressBar {
 public:
  explicit ProgressBar(std::string label);
  ~ProgressBar();
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;

  void show(const train::Progress& progress);

  // What is printed next begins on a line of its own.
  void finish_line();

 private:
  using Clock = std::chrono::steady_clock;
  std::string describe(const train::Progress& progress);

  std::string label_;
  bool terminal_;
  bool line_open_ = false;
  Clock::time_point started_;
  Clock::time_point shown_;
  std::int64_t first_step_ = -1;
};

// A bar of 24 characters, filled to that share.
std::string share_bar(double share);

// "1h 02m", "3m 05s", "12s".
std::string duration_text(double seconds);

// "1.24M", "20k", "512".
std::string count_text(double count);

}  // namespace tarl::cli
