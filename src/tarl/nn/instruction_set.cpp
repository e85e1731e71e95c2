// SPDX-License-Identifier: MIT
#include "tarl/nn/instruction_set.h"

#include <algorithm>
#include <chrono>
#include <cstdlib>

#include <time.h>

#include "tarl/core/error.h"
#include "tarl/core/fields.h"

namespace tarl::nn {

namespace {

#if defined(__x86_64__)
bool has_avx2() {
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
}

bool has_avx512() {
  return has_avx2() && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
         __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
}

// Operations per nanosecond, the best of short windows.
double burn_rate(const Kernels& use) {
  constexpr int kWindows = 24;
  constexpr long kRounds = 2000;  // microseconds, so that a preempted window is one of many
  double best = 0;
  for (int window = 0; window < kWindows; ++window) {
    const auto begin = std::chrono::steady_clock::now();
    const double operations = use.burn(kRounds);
    const std::chrono::duration<double, std::nano> time = std::chrono::steady_clock::now() - begin;
    if (time.count() > 0) best = std::max(best, operations / time.count());
  }
  return best;
}

// Whether 512-bit registers double the rate of 256-bit ones, as two 512-bit units do. Processors do
// not report this, so it is measured once, in less than a millisecond.
bool has_two_wide_units() {
  static const bool two = burn_rate(avx512_low::table()) > 1.5 * burn_rate(avx2::table());
  return two;
}

void add_avx512(std::vector<const Kernels*>& tables) {
  tables = {&avx512_low::table(), &avx512_high::table()};
  if (has_two_wide_units()) std::swap(tables[0], tables[1]);
}
#endif

std::vector<const Kernels*> available() {
  std::vector<const Kernels*> tables;
#if defined(__x86_64__)
  if (has_avx512()) add_avx512(tables);
  if (has_avx2()) tables.push_back(&avx2::table());
#endif
  tables.push_back(&plain::table());
  return tables;
}

// "avx512" means whichever of the two variants suits the machine.
bool is_called(const Kernels& table, std::string_view name) {
  const std::string_view own = table.name;
  return name == own || (name == "avx512" && own.starts_with(name));
}

const Kernels& table_named(std::string_view name) {
  const std::vector<const Kernels*> tables = available();
  if (name == "auto") return *tables.front();
  for (const Kernels* table : tables) {
    if (is_called(*table, name)) return *table;
  }
  const std::vector<std::string> known{"auto",       "avx512", "avx512-high",
                                       "avx512-low", "avx2",   "plain"};
  if (std::find(known.begin(), known.end(), name) == known.end()) {
    throw UsageError("no instruction set '" + std::string(name) +
                     "'; use auto, avx512, avx512-high, avx512-low, avx2 or plain" +
                     did_you_mean(name, known));
  }
  throw UsageError("this machine does not support " + std::string(name) + "; use auto or " +
                   std::string(tables.front()->name));
}

// The table in use, initially the one TARL_ISA names. A function-local static, so that it is
// initialised before its first use from any thread.
const Kernels*& current() {
  static const Kernels* table = [] {
    const char* wanted = std::getenv("TARL_ISA");
    return &table_named(wanted != nullptr && *wanted != '\0' ? wanted : "auto");
  }();
  return table;
}

double thread_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

}  // namespace

void use_instruction_set(std::string_view name) {
  current() = &table_named(name);
}

const Kernels& kernels() {
  return *current();
}

void replace_kernels(const Kernels& table) {
  current() = &table;
}

std::vector<std::string> instruction_sets() {
  std::vector<std::string> names;
  for (const Kernels* table : available()) names.emplace_back(table->name);
  return names;
}

double measure_peak_gflops(double seconds) {
  const Kernels& use = *available().front();
  // Windows of about a millisecond: long compared with reading the clock, short enough that on a
  // busy machine some fall between interruptions.
  constexpr long kRounds = 200'000;
  double best = 0;
  for (double spent = 0; spent < seconds || best == 0;) {
    const double begin = thread_seconds();
    const double operations = use.burn(kRounds);
    const double window = thread_seconds() - begin;
    spent += window;
    if (window > 0) best = std::max(best, operations / window * 1e-9);
  }
  return best;
}

}  // namespace tarl::nn
