// SPDX-License-Identifier: MIT
#include "tarl/study/executors/child_process.h"

#include <cerrno>
#include <csignal>
#include <cstring>
#include <sstream>
#include <utility>

#include <fcntl.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tarl/core/descriptor.h"
#include "tarl/core/error.h"
#include "tarl/core/machine.h"

namespace tarl::study {

namespace {

constexpr int kNoProgram = 127;  // as in shells
constexpr std::size_t kLongestReason = 500;

Descriptor open_output(const fs::path& log) {
  return log.empty() ? open_path("/dev/null", O_WRONLY) : open_to_write(log, O_WRONLY | O_APPEND);
}

std::vector<char*> arguments_of(const std::vector<std::string>& command) {
  std::vector<char*> arguments;
  arguments.reserve(command.size() + 1);
  for (const std::string& word : command) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  return arguments;
}

// Everything between fork and exec: only system calls, since other threads may hold any lock.
struct Launch {
  const char* program;
  char* const* arguments;
  int input;
  int output;
  pid_t parent;
  const cpu_set_t* cpus;  // null: any

  [[noreturn]] void operator()() const {
    ::setpgid(0, 0);
    ::prctl(PR_SET_PDEATHSIG, SIGTERM);
    // The parent may have died before the request took effect.
    if (::getppid() != parent) ::_exit(0);
    if (cpus != nullptr) ::sched_setaffinity(0, sizeof *cpus, cpus);
    sigset_t none;
    ::sigemptyset(&none);
    ::sigprocmask(SIG_SETMASK, &none, nullptr);
    ::dup2(input, STDIN_FILENO);
    ::dup2(output, STDOUT_FILENO);
    ::dup2(output, STDERR_FILENO);
    ::execvp(program, arguments);
    constexpr char kProblem[] = "tarl: cannot start the program of this run\n";
    [[maybe_unused]] const ssize_t told = ::write(STDERR_FILENO, kProblem, sizeof kProblem - 1);
    ::_exit(kNoProgram);
  }
};

pid_t launch(const ChildOptions& options, int output) {
  const Descriptor input = open_path("/dev/null", O_RDONLY);
  std::vector<char*> arguments = arguments_of(options.command);
  // In process lists the program appears under its name, not the path of its file.
  std::string own_name = program_name();
  if (options.command.front() == kThisProgram) arguments.front() = own_name.data();
  cpu_set_t cpus;
  CPU_ZERO(&cpus);
  if (options.cpu) CPU_SET(static_cast<std::size_t>(*options.cpu), &cpus);
  const Launch start{
      options.command.front().c_str(), arguments.data(), input.get(), output, ::getpid(),
      options.cpu ? &cpus : nullptr};
  const pid_t pid = ::fork();
  if (pid < 0) {
    throw Error(std::string("cannot start another process: ") + std::strerror(errno) +
                "; lower --jobs");
  }
  if (pid == 0) start();
  return pid;
}

// Non-empty lines, joined into one.
std::string joined(const std::string& text) {
  std::string all;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (!line.empty()) all += (all.empty() ? "" : "; ") + line;
  }
  return all.empty() ? "(it said nothing)" : all;
}

int wait_for(pid_t pid) {
  int status = 0;
  while (::waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  return status;
}

}  // namespace

ChildProcess::ChildProcess(const ChildOptions& options) {
  const Descriptor output = open_output(options.log);
  pid_ = launch(options, output.get());
}

ChildProcess::~ChildProcess() {
  if (pid_ < 0) return;
  ask_to_end();
  wait_for(pid_);
}

ChildProcess::ChildProcess(ChildProcess&& other) noexcept : pid_(std::exchange(other.pid_, -1)) {}

ChildProcess& ChildProcess::operator=(ChildProcess&& other) noexcept {
  std::swap(pid_, other.pid_);
  return *this;
}

void ChildProcess::signal(int number) const {
  if (pid_ > 0) ::kill(pid_, number);
}

void ChildProcess::ask_to_end() const {
  signal(SIGTERM);
  signal(SIGCONT);
}

std::optional<int> ChildProcess::poll() {
  int status = 0;
  if (::waitpid(pid_, &status, WNOHANG) != pid_) return std::nullopt;
  pid_ = -1;
  return status;
}

std::string describe_end(int wait_status) {
  if (WIFSIGNALED(wait_status)) {
    const int number = WTERMSIG(wait_status);
    return "killed by signal " + std::to_string(number) + " (" + ::strsignal(number) + ")";
  }
  return "exit code " + std::to_string(WEXITSTATUS(wait_status));
}

std::string last_line(const fs::path& log) {
  std::string last = "(it said nothing)";
  try {
    std::istringstream lines(read_text(log, kMostTable));
    for (std::string line; std::getline(lines, line);) {
      if (!line.empty()) last = line;
    }
  } catch (const Error&) {  // no readable log: nothing to add
  }
  if (last.size() <= kLongestReason) return last;
  return last.substr(0, last.find_last_of(' ', kLongestReason)) + " ...";
}

std::string output_of(const std::vector<std::string>& command) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) {
    throw Error(std::string("cannot make a pipe: ") + std::strerror(errno));
  }
  const Descriptor reading(ends[0]);
  pid_t pid = -1;
  {
    const Descriptor writing(ends[1]);
    pid = launch({command, {}, {}}, writing.get());
  }
  std::string text;
  char buffer[4096];
  for (;;) {
    const ssize_t n = ::read(reading.get(), buffer, sizeof buffer);
    if (n > 0) text.append(buffer, static_cast<std::size_t>(n));
    if (n == 0 || (n < 0 && errno != EINTR)) break;
  }
  const int status = wait_for(pid);
  if (WIFEXITED(status) && WEXITSTATUS(status) == kNoProgram) {
    throw Error(command.front() + " is not on this machine, or not in PATH");
  }
  if (status != 0) {
    throw Error(command.front() + " failed with " + describe_end(status) + ": " + joined(text));
  }
  return text;
}

}  // namespace tarl::study
