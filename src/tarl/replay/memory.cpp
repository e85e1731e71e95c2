// SPDX-License-Identifier: MIT
#include "tarl/replay/memory.h"

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <string>

#include <unistd.h>

namespace tarl::replay {

namespace {

std::string in_bytes(double bytes) {
  char text[96];
  std::snprintf(text, sizeof text, "%.0f bytes (%.3g GB)", bytes, bytes / 1e9);
  return text;
}

}  // namespace

double machine_memory_bytes() {
  double bytes =
      static_cast<double>(sysconf(_SC_PHYS_PAGES)) * static_cast<double>(sysconf(_SC_PAGE_SIZE));
  // The file says "max" where there is no limit, which is not read as a number.
  std::ifstream limit_file("/sys/fs/cgroup/memory.max");
  double limit = 0;
  if (limit_file >> limit && limit > 0) bytes = std::min(bytes, limit);
  return bytes;
}

void refuse_more_than_memory(double needed, std::int64_t capacity) {
  const double available = machine_memory_bytes();
  if (needed <= available) return;
  throw UsageError("buffer_size = " + std::to_string(capacity) + " needs " + in_bytes(needed) +
                   " of memory but this machine has " + in_bytes(available) +
                   "; use a smaller buffer_size");
}

}  // namespace tarl::replay
