// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

// Finds races under any schedule: two threads access the same bytes, at least one of them writes a
// new value, and nothing orders the accesses. Kernels compiled with -fsanitize=thread report their
// accesses; the machine reports synchronisation. Only barriers and __syncwarp order accesses,
// shuffles do not.
namespace tarl::emulated::races {

// Starts recording. Until then all functions here are no-ops.
void watch();
bool watching();

// The races found since the last call, one line per pair of code locations.
std::vector<std::string> found();

// Registers device memory, in addition to the blocks' shared memory.
void add_memory(const void* p, std::size_t bytes);
void remove_memory(const void* p);

// A cluster starts running.
void begin(int threads);

void access(const void* p, std::size_t bytes, bool write, const void* code);

// Threads [first, first + count) have met at a barrier.
void meet(int first, int count);

// Release and acquire: what one thread did becomes visible to threads that synchronise with it
// later.
using Clock = std::vector<std::uint32_t>;
void release(int thread, Clock& place);
void acquire(int thread, const Clock& place);

}  // namespace tarl::emulated::races
