// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

namespace tarl {

std::string cpu_model();       // "AMD EPYC", or "unknown"
std::string cpu_features();    // the vector extensions it has, "sse2 avx2 fma avx512f"
std::uint64_t memory_bytes();  // installed memory

std::vector<int> usable_cpus();  // the processors this process may use

// Keeps a thread on one processor. False where the system refuses it (there is no such processor,
// or it is not the process's to use); the thread then goes on as before.
bool pin_thread(std::thread& thread, int cpu);

// Memory this process may use: the machine's, or the limit of its control group or of its address
// space (ulimit -v) where that is lower.
double usable_memory_bytes();

// Throws UsageError with both figures when `what` ("buffer_size = 5") needs more than `usable`
// bytes; `advice` says what to do.
void refuse_more_than_memory(const std::string& what, double needed, const std::string& advice,
                             double usable = usable_memory_bytes());

// The file of the program that runs; empty where the system does not tell.
std::filesystem::path this_program();

}  // namespace tarl
