// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>

namespace tarl {

std::string cpu_model();       // "AMD EPYC", or "unknown"
std::string cpu_features();    // the vector extensions it has, "sse2 avx2 fma avx512f"
std::uint64_t memory_bytes();  // installed memory

}  // namespace tarl
