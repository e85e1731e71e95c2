// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>

namespace tarl::emulated {

// Stacks of fibers, each a thread of a kernel. A switch costs as little as a function call.
class Stacks {
 public:
  explicit Stacks(int count);
  Stacks(const Stacks&) = delete;
  Stacks& operator=(const Stacks&) = delete;
  ~Stacks();

  // The initial position of a fiber that has not begun; `entry` never returns.
  void* begin(int index, void (*entry)()) const;

  bool overrun(int index, const void* top) const;

 private:
  std::byte* base_;
  std::size_t size_;
};

}  // namespace tarl::emulated

// Switches from the running fiber, whose position is stored in *from, to the one at `to`.
extern "C" void tarl_switch_fiber(void** from, void* to);
