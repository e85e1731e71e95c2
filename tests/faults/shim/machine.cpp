// SPDX-License-Identifier: MIT
//
// Memory and time, replaced by wrappers that consult the plan first.
#include <cerrno>
#include <cstdlib>
#include <ctime>

#include "plan.h"
#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>

namespace {

using tarl::faults::plan;

bool refused() {
  if (!plan().ready) return false;
  if (plan().refused_allocation == 0 && plan().allocations == nullptr) return false;
  static long allocations = 0;
  const long number = __atomic_add_fetch(&allocations, 1, __ATOMIC_RELAXED);
  if (plan().allocations != nullptr) *plan().allocations = number;
  if (number != plan().refused_allocation) return false;
  errno = ENOMEM;
  return true;
}

}  // namespace

extern "C" {

int clock_gettime(clockid_t which, struct timespec* out) {
  const int result = static_cast<int>(syscall(SYS_clock_gettime, which, out));
  if (result == 0 && which == CLOCK_REALTIME) out->tv_sec += plan().clock;
  return result;
}

int gettimeofday(struct timeval* out, void*) {
  struct timespec now {};

  clock_gettime(CLOCK_REALTIME, &now);
  out->tv_sec = now.tv_sec;
  out->tv_usec = now.tv_nsec / 1000;
  return 0;
}

time_t time(time_t* out) {
  struct timespec now {};

  clock_gettime(CLOCK_REALTIME, &now);
  if (out != nullptr) *out = now.tv_sec;
  return now.tv_sec;
}

void* __libc_malloc(size_t size);
void* __libc_calloc(size_t count, size_t size);
void* __libc_realloc(void* block, size_t size);
void* __libc_memalign(size_t alignment, size_t size);

void* malloc(size_t size) {
  return refused() ? nullptr : __libc_malloc(size);
}

void* calloc(size_t count, size_t size) {
  return refused() ? nullptr : __libc_calloc(count, size);
}

void* realloc(void* block, size_t size) {
  return refused() ? nullptr : __libc_realloc(block, size);
}

void* aligned_alloc(size_t alignment, size_t size) {
  return refused() ? nullptr : __libc_memalign(alignment, size);
}

}  // extern "C"
