// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tarl/nn/kernels/kernels.h"

namespace tarl::nn {

// Chooses the kernels for the whole process: "auto" (the best this machine has), "avx512", "avx2"
// or "plain". AVX-512 has high tiles for processors with two 512-bit multiply-add units and low
// ones for others: "avx512-high", "avx512-low"; "avx512" is the one that suits, which is measured
// once. Results do not depend on the choice, only speed does. Throws UsageError when the name is
// unknown or the machine lacks it. Not to be called while networks run.
void use_instruction_set(std::string_view name);

// The kernels in use. The first call obeys the environment variable TARL_ISA, if set.
const Kernels& kernels();

// Puts a table in the place of the one in use, for what watches kernels at work. It outlives its
// use. Not to be called while networks run.
void replace_kernels(const Kernels& table);

// What this machine can run, best first; always ends with "plain".
std::vector<std::string> instruction_sets();

// Multiply-add peak of one thread on this machine, in GFLOP/s: the best of short windows
// over about `seconds`, by the thread's CPU clock.
double measure_peak_gflops(double seconds);

}  // namespace tarl::nn
