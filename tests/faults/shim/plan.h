// SPDX-License-Identifier: MIT
#pragma once

// A fault-injecting file layer. Preloaded into any program (LD_PRELOAD), it counts the calls on
// files below one folder and makes the k-th of them fail, transfer less, kill the process or wait;
// it can record every change for crash_states.py, refuse the k-th allocation and shift the clock.
// TARL_FAULTS configures it, as "key=value,key=value":
//   root=DIR      the folder (absolute); calls on other files are passed on and not counted
//   count=FILE    8 bytes, kept up to date with the calls counted so far
//   trace=FILE    a record of every change below root
//   call=K        the call to strike, from 1
//   fault=NAME    ENOSPC, EIO, EINTR, ..., short (half of the bytes) or kill (SIGKILL)
//   hold=FILE     the call to strike writes its process id to FILE and waits until FILE is gone
//   times=N       calls in a row to strike (default 1; -1 for ever)
//   allocation=K  the allocation to refuse, from 1; allocations=FILE counts them
//   clock=S       seconds added to the time of day

#include <cstddef>
#include <cstdint>

namespace tarl::faults {

struct Plan {
  bool ready = false;  // TARL_FAULTS has been read
  char root[1024] = "";
  std::size_t root_length = 0;
  std::int64_t* count = nullptr;
  std::int64_t* allocations = nullptr;
  int trace = -1;
  long strike = 0;
  long times = 1;
  int error = 0;  // errno to fail with; 0: none
  bool comes_short = false;
  bool kills = false;
  char hold[1024] = "";
  long refused_allocation = 0;
  long clock = 0;
};

const Plan& plan();

bool is_below_root(const char* path);

enum class Verdict { kPass, kFail, kShort, kKill };

// Properties of a call, which determine how it can fail: only interruptible ones with EINTR, only
// those that need space with ENOSPC, EDQUOT or EROFS; only partial ones transfer less.
enum Trait : unsigned { kPlain = 0, kInterruptible = 1, kPartial = 2, kNeedsSpace = 4 };

// Counts a call and decides its fate; sets errno if it fails.
Verdict judge(unsigned traits);

[[noreturn]] void die();

// Adds a line to the trace, then `size` bytes and a newline if `data` is not null.
[[gnu::format(printf, 3, 4)]] void record(const void* data, std::size_t size, const char* format,
                                          ...);

}  // namespace tarl::faults
