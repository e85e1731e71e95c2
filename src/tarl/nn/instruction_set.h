// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tarl/nn/kernels/kernels.h"

namespace tarl::nn {

// Selects the kernels for the whole process: "auto" (the best this machine supports), "avx512",
// "avx2" or "plain". AVX-512 comes in two variants, "avx512-high" with high tiles for processors
// with two 512-bit FMA units and "avx512-low" for the others; "avx512" selects the suitable one by
// a one-time measurement. The choice affects speed only, never results. Throws UsageError if the
// name is unknown or the machine does not support it. Must not be called while networks run.
void use_instruction_set(std::string_view name);

// The selected kernels. The first call honours the environment variable TARL_ISA, if set.
const Kernels& kernels();

// Replaces the table in use, for instrumentation. The table must outlive its use. Must not be
// called while networks run.
void replace_kernels(const Kernels& table);

// The instruction sets this machine supports, best first; always ends with "plain".
std::vector<std::string> instruction_sets();

// Multiply-add peak of one thread on this machine in GFLOP/s: the best of short windows over about
// `seconds`, by the thread's CPU clock.
double measure_peak_gflops(double seconds);

}  // namespace tarl::nn
