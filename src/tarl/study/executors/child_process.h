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
  std::optional<int> cpu;            // the only one it may use
};

// A program run beside this one. It has a process group of its own, so that a terminal's Ctrl-C
// reaches only us, and gets SIGTERM when we die, however we die: start it in the thread that lives
// longest. Whoever lets go of it ends it: SIGTERM, then wait.
class ChildProcess {
 public:
  // Throws Error where the system refuses a process or the log.
  explicit ChildProcess(const ChildOptions& options);
  ~ChildProcess();
  ChildProcess(ChildProcess&& other) noexcept;
  ChildProcess& operator=(ChildProcess&& other) noexcept;
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;

  pid_t pid() const { return pid_; }

  void signal(int number) const;

  // SIGTERM, which a process that is stopped (SIGSTOP, Ctrl-Z) gets, too, since it is woken.
  void ask_to_end() const;

  // How it ended, as waitpid tells it; nothing while it lives. Ask no more after an answer.
  std::optional<int> poll();

 private:
  pid_t pid_ = -1;
};

// "exit code 1", "killed by signal 9 (Killed)".
std::string describe_end(int wait_status);

// What a process said last in its log, cut between words where it is very long: that is why it
// ended.
std::string last_line(const fs::path& log);

// Runs a command to its end and returns what it printed, stderr included. Throws Error with that
// text in one line where it fails.
std::string output_of(const std::vector<std::string>& command);

}  // namespace tarl::study
