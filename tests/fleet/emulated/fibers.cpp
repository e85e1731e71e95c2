// SPDX-License-Identifier: MIT
#include "fleet/emulated/fibers.h"

#include <cstdint>
#include <new>

#include <sys/mman.h>

// Saves the callee-saved registers of x86-64 on the stack being left.
asm(R"(
.text
.globl tarl_switch_fiber
.type tarl_switch_fiber,@function
tarl_switch_fiber:
  push %rbp
  push %rbx
  push %r12
  push %r13
  push %r14
  push %r15
  mov %rsp, (%rdi)
  mov %rsi, %rsp
  pop %r15
  pop %r14
  pop %r13
  pop %r12
  pop %rbx
  pop %rbp
  ret
.size tarl_switch_fiber,.-tarl_switch_fiber
)");

namespace tarl::emulated {

namespace {

// Not a power of two, or the tops of all stacks would map to the same cache sets.
constexpr std::size_t kStackBytes = 128 * 1024 + 5 * 64;
constexpr std::size_t kReserve = 16 * 1024;

}  // namespace

Stacks::Stacks(int count) : size_(kStackBytes * static_cast<std::size_t>(count)) {
  void* base = ::mmap(nullptr, size_, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (base == MAP_FAILED) throw std::bad_alloc();
  base_ = static_cast<std::byte*>(base);
}

Stacks::~Stacks() {
  ::munmap(base_, size_);
}

void* Stacks::begin(int index, void (*entry)()) const {
  const auto end = reinterpret_cast<std::uintptr_t>(base_ + kStackBytes * (index + 1));
  auto** top = reinterpret_cast<void**>(end / 16 * 16) - 2;
  *top = reinterpret_cast<void*>(entry);
  for (int saved = 0; saved < 6; ++saved) *--top = nullptr;
  return top;
}

bool Stacks::overrun(int index, const void* top) const {
  return static_cast<const std::byte*>(top) < base_ + kStackBytes * index + kReserve;
}

}  // namespace tarl::emulated
