// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>

namespace tarl::emulated {

// Stacks of fibers, one per kernel thread. A switch costs about as much as a function call.
class Stacks {
 public:
  explicit Stacks(int count);
  Stacks(const Stacks&) = delete;
  Stacks& operator=(const Stacks&) = delete;
  ~Stacks();

  // The initial stack position of a fiber that has not started; `entry` must not return.
  void* begin(int index, void (*entry)()) const;

  bool overrun(int index, const void* top) const;

 private:
  std::byte* base_;
  std::size_t size_;
};

}  // namespace tarl::emulated

// Switches from the running fiber, storing its position in *from, to the one at `to`.
extern "C" void tarl_switch_fiber(void** from, void* to);
