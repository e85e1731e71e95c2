// SPDX-License-Identifier: MIT
#include "tarl/core/machine.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <fstream>

#include <pthread.h>
#include <sched.h>
#include <sys/resource.h>
#include <unistd.h>

#include "tarl/core/error.h"

namespace tarl {

namespace {

std::string in_bytes(double bytes) {
  char text[96];
  std::snprintf(text, sizeof text, "%.0f bytes (%.3g GB)", bytes, bytes / 1e9);
  return text;
}

}  // namespace

std::string host_name() {
  std::array<char, 256> name{};
  return ::gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "unknown";
}

std::string program_name() {
  return ::program_invocation_short_name;
}

std::string cpu_model() {
  std::ifstream info("/proc/cpuinfo");
  for (std::string line; std::getline(info, line);) {
    if (line.starts_with("model name")) {
      const std::size_t colon = line.find(':');
      if (colon != std::string::npos && colon + 2 <= line.size()) return line.substr(colon + 2);
    }
  }
  return "unknown";
}

std::string cpu_features() {
  std::string out;
#if defined(__x86_64__)
  const auto add = [&out](bool has, const char* name) {
    if (has) out += (out.empty() ? "" : " ") + std::string(name);
  };
  __builtin_cpu_init();
  add(__builtin_cpu_supports("sse4.2"), "sse4.2");
  add(__builtin_cpu_supports("avx2"), "avx2");
  add(__builtin_cpu_supports("fma"), "fma");
  add(__builtin_cpu_supports("avx512f"), "avx512f");
  add(__builtin_cpu_supports("avx512bw"), "avx512bw");
  add(__builtin_cpu_supports("avx512dq"), "avx512dq");
  add(__builtin_cpu_supports("avx512vl"), "avx512vl");
#endif
  return out.empty() ? "none known" : out;
}

std::uint64_t memory_bytes() {
  return static_cast<std::uint64_t>(::sysconf(_SC_PHYS_PAGES)) *
         static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
}

double usable_memory_bytes() {
  auto bytes = static_cast<double>(memory_bytes());
  // The file says "max" if there is no limit, which does not parse as a number.
  std::ifstream limit_file("/sys/fs/cgroup/memory.max");
  double limit = 0;
  if (limit_file >> limit && limit > 0) bytes = std::min(bytes, limit);
  rlimit space{};
  if (::getrlimit(RLIMIT_AS, &space) == 0 && space.rlim_cur != RLIM_INFINITY) {
    bytes = std::min(bytes, static_cast<double>(space.rlim_cur));
  }
  return bytes;
}

void refuse_more_than_memory(const std::string& what, double needed, const std::string& advice,
                             double usable) {
  if (needed <= usable) return;
  throw UsageError(what + " needs " + in_bytes(needed) + " of memory but this machine has " +
                   in_bytes(usable) + "; " + advice);
}

std::vector<int> usable_cpus() {
  cpu_set_t set;
  CPU_ZERO(&set);
  std::vector<int> cpus;
  if (::sched_getaffinity(0, sizeof set, &set) == 0) {
    for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
      if (CPU_ISSET(static_cast<std::size_t>(cpu), &set)) cpus.push_back(cpu);
    }
  }
  if (cpus.empty()) cpus.push_back(0);
  return cpus;
}

bool pin_thread(std::thread& thread, int cpu) {
  if (cpu < 0 || cpu >= CPU_SETSIZE) return false;
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(static_cast<std::size_t>(cpu), &set);
  return ::pthread_setaffinity_np(thread.native_handle(), sizeof set, &set) == 0;
}

std::filesystem::path this_program() {
  std::error_code unknown;
  return std::filesystem::read_symlink("/proc/self/exe", unknown);
}

}  // namespace tarl
