// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

// Finds races whatever the schedule: two threads reach the same bytes, one of them writes something
// new, and nothing orders them. Kernels compiled with -fsanitize=thread report what they reach; the
// machine reports who met whom. Order comes from barriers and __syncwarp only, not from shuffles.
namespace tarl::emulated::races {

// Begins to watch. Without it, everything here does nothing.
void watch();
bool watching();

// What was found since the last time, a line for each pair of places in the code.
std::vector<std::string> found();

// Memory of the device, besides that of blocks.
void add_memory(const void* p, std::size_t bytes);
void remove_memory(const void* p);

// A cluster begins to run.
void begin(int threads);

void access(const void* p, std::size_t bytes, bool write, const void* code);

// Threads [first, first + count) have met.
void meet(int first, int count);

// One hands what it did to whoever comes to the same place later.
using Clock = std::vector<std::uint32_t>;
void release(int thread, Clock& place);
void acquire(int thread, const Clock& place);

}  // namespace tarl::emulated::races
