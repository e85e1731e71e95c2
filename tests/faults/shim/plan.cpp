// SPDX-License-Identifier: MIT
#include "plan.h"

#include <cerrno>
#include <csignal>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>

#include <fcntl.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

// System calls are made directly: the functions with those names are the replaced ones.

namespace tarl::faults {

namespace {

Plan g_plan;
pthread_mutex_t g_lock = PTHREAD_MUTEX_INITIALIZER;

int number_of(const char* name) {
  static const struct {
    const char* name;
    int number;
  } kErrors[] = {{"ENOSPC", ENOSPC}, {"EIO", EIO},     {"EINTR", EINTR},  {"EDQUOT", EDQUOT},
                 {"EACCES", EACCES}, {"EROFS", EROFS}, {"EMFILE", EMFILE}};

  for (const auto& entry : kErrors) {
    if (strcmp(name, entry.name) == 0) return entry.number;
  }
  return 0;
}

std::int64_t* shared_counter(const char* path) {
  const int file =
      static_cast<int>(syscall(SYS_openat, AT_FDCWD, path, O_RDWR | O_CREAT | O_CLOEXEC, 0644));
  if (file < 0 || syscall(SYS_ftruncate, file, 8) != 0) return nullptr;
  void* page = reinterpret_cast<void*>(
      syscall(SYS_mmap, nullptr, 8, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0));
  syscall(SYS_close, file);
  return page == MAP_FAILED ? nullptr : static_cast<std::int64_t*>(page);
}

void set(const char* key, const char* value) {
  const auto is = [key](const char* name) { return strcmp(key, name) == 0; };
  if (is("root")) {
    snprintf(g_plan.root, sizeof g_plan.root, "%s", value);
    g_plan.root_length = strlen(g_plan.root);
  } else if (is("count")) {
    g_plan.count = shared_counter(value);
  } else if (is("allocations")) {
    g_plan.allocations = shared_counter(value);
  } else if (is("trace")) {
    g_plan.trace = static_cast<int>(
        syscall(SYS_openat, AT_FDCWD, value, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644));
  } else if (is("call")) {
    g_plan.strike = atol(value);
  } else if (is("times")) {
    g_plan.times = atol(value);
  } else if (is("fault")) {
    g_plan.error = number_of(value);
    g_plan.comes_short = strcmp(value, "short") == 0;
    g_plan.kills = strcmp(value, "kill") == 0;
  } else if (is("hold")) {
    snprintf(g_plan.hold, sizeof g_plan.hold, "%s", value);
  } else if (is("allocation")) {
    g_plan.refused_allocation = atol(value);
  } else if (is("clock")) {
    g_plan.clock = atol(value);
  }
}

__attribute__((constructor)) void read_plan() {
  const char* text = getenv("TARL_FAULTS");
  static char copy[4096];
  snprintf(copy, sizeof copy, "%s", text == nullptr ? "" : text);
  char* rest = nullptr;
  for (char* word = strtok_r(copy, ",", &rest); word; word = strtok_r(nullptr, ",", &rest)) {
    char* equals = strchr(word, '=');
    if (equals == nullptr) continue;
    *equals = '\0';
    set(word, equals + 1);
  }
  g_plan.ready = true;
}

bool can_fail_so(unsigned traits) {
  switch (g_plan.error) {
    case 0:
      return false;
    case EINTR:
      return (traits & kInterruptible) != 0;
    case ENOSPC:
    case EDQUOT:
    case EROFS:
      return (traits & kNeedsSpace) != 0;
    default:
      return true;
  }
}

// Once the process id can be read, the call has been reached and goes no further.
void wait_for_release() {
  const int before = errno;
  char text[16];
  const int length = snprintf(text, sizeof text, "%d\n", static_cast<int>(getpid()));
  const int file = static_cast<int>(
      syscall(SYS_openat, AT_FDCWD, g_plan.hold, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644));
  syscall(SYS_write, file, text, length);
  syscall(SYS_close, file);
  const timespec pause{0, 1'000'000};
  while (syscall(SYS_faccessat, AT_FDCWD, g_plan.hold, F_OK) == 0) {
    syscall(SYS_nanosleep, &pause, nullptr);
  }
  errno = before;
}

}  // namespace

const Plan& plan() {
  return g_plan;
}

bool is_below_root(const char* path) {
  return g_plan.ready && g_plan.root_length > 0 && path != nullptr &&
         strncmp(path, g_plan.root, g_plan.root_length) == 0 &&
         (path[g_plan.root_length] == '/' || path[g_plan.root_length] == '\0');
}

Verdict judge(unsigned traits) {
  static long calls = 0;
  pthread_mutex_lock(&g_lock);
  const long call = ++calls;
  pthread_mutex_unlock(&g_lock);
  if (g_plan.count != nullptr) *g_plan.count = call;
  if (g_plan.strike == 0 || call < g_plan.strike) return Verdict::kPass;
  if (g_plan.times >= 0 && call >= g_plan.strike + g_plan.times) return Verdict::kPass;
  if (g_plan.hold[0] != '\0') wait_for_release();
  if (g_plan.kills) return Verdict::kKill;
  if (g_plan.comes_short) return (traits & kPartial) != 0 ? Verdict::kShort : Verdict::kPass;
  if (!can_fail_so(traits)) return Verdict::kPass;
  errno = g_plan.error;
  return Verdict::kFail;
}

[[noreturn]] void die() {
  for (;;) kill(getpid(), SIGKILL);
}

void record(const void* data, std::size_t size, const char* format, ...) {
  if (g_plan.trace < 0) return;
  const int before = errno;
  char line[4096];
  va_list arguments;
  va_start(arguments, format);
  const int length = vsnprintf(line, sizeof line, format, arguments);
  va_end(arguments);
  pthread_mutex_lock(&g_lock);
  syscall(SYS_write, g_plan.trace, line, length);
  if (data != nullptr) {
    syscall(SYS_write, g_plan.trace, data, size);
    syscall(SYS_write, g_plan.trace, "\n", 1);
  }
  pthread_mutex_unlock(&g_lock);
  errno = before;
}

}  // namespace tarl::faults
