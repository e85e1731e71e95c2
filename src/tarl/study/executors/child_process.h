// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <sys/types.h>

#include "tarl/core/files.h"

namespace tarl::study {

struct ChildOptions {
  std::vector<std::string> command;  // program and arguments
  fs::path log;                      // stdout and stderr are appended to it; empty: /dev/null
  std::optional<int> cpu;            // pins it to this processor
};

// A child process. It has its own process group, so that a terminal's Ctrl-C reaches only us, and
// gets SIGTERM when the thread that started it dies for any reason: start it in the thread that
// lives longest. The destructor ends it: SIGTERM, then wait.
class ChildProcess {
 public:
  // Throws Error if the process cannot be created or the log cannot be opened.
  explicit ChildProcess(const ChildOptions& options);
  ~ChildProcess();
  ChildProcess(ChildProcess&& other) noexcept;
  ChildProcess& operator=(ChildProcess&& other) noexcept;
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;

  pid_t pid() const { return pid_; }

  void signal(int number) const;

  // Sends SIGTERM, and wakes a stopped process (SIGSTOP, Ctrl-Z) so that it receives it.
  void ask_to_end() const;

  // How it ended, as the wait status; empty while it runs. Do not call again once it has a value.
  std::optional<int> poll();

 private:
  pid_t pid_ = -1;
};

// "exit code 1", "killed by signal 9 (Killed)".
std::string describe_end(int wait_status);

// The last line of a process's log, cut between words if it is very long: usually why it ended.
std::string last_line(const fs::path& log);

// Runs a command to its end and returns what it printed, stderr included. Throws Error with that
// text in one line if it fails.
std::string output_of(const std::vector<std::string>& command);

}  // namespace tarl::study
