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
std::string host_name();       // as this machine calls itself, or "unknown"

// What a process executes to start this program again, whatever has become of its file.
inline constexpr const char* kThisProgram = "/proc/self/exe";
std::string program_name();  // the name it was started as, without folders: "tarl"

std::vector<int> usable_cpus();  // the processors this process may use

// Pins a thread to one processor. False if the system refuses (no such processor, or not available
// to the process); the thread then continues as before.
bool pin_thread(std::thread& thread, int cpu);

// Memory this process may use: the machine's, or the limit of its control group or address space
// (ulimit -v) if that is lower.
double usable_memory_bytes();

// Throws UsageError with both figures if `what` ("buffer_size = 5") needs more than `usable` bytes;
// `advice` says what to do.
void refuse_more_than_memory(const std::string& what, double needed, const std::string& advice,
                             double usable = usable_memory_bytes());

// The path of the running program; empty if unknown.
std::filesystem::path this_program();

}  // namespace tarl
