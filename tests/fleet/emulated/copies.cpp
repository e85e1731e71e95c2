// SPDX-License-Identifier: MIT
#include <cstring>

#include "fleet/emulated/threads.h"

// Shared memory, its mbarriers, and the bulk copies that signal them.
namespace tarl::fleet {

extern unsigned char shared_memory[];

}  // namespace tarl::fleet

namespace tarl::emulated {

namespace {

constexpr int kRankBit = 24;

// The same size as an mbarrier on the device.
struct Barrier {
  std::uint8_t magic, phase;
  std::uint16_t arrivals, pending;
  std::int16_t grains;  // units of 16 bytes still outstanding
};

static_assert(sizeof(Barrier) == 8);
constexpr std::uint8_t kMagic = 0xB7;
constexpr std::uint32_t kGrain = 16;

Barrier& barrier_slot(std::uint32_t address) {
  if (address % sizeof(Barrier) != 0) fail("a barrier that is not aligned to 8 bytes");
  return *reinterpret_cast<Barrier*>(shared_pointer(address, sizeof(Barrier)));
}

Barrier& barrier_at(std::uint32_t address) {
  Barrier& barrier = barrier_slot(address);
  if (barrier.magic != kMagic) fail("a barrier that was never initialised, or was overwritten");
  return barrier;
}

void add_bytes(Barrier& barrier, std::uint32_t bytes, int sign) {
  if (bytes % kGrain != 0) fail("bulk copies of bytes that are not a multiple of 16");
  barrier.grains =
      static_cast<std::int16_t>(barrier.grains + sign * static_cast<int>(bytes / kGrain));
}

// Begins the next phase once the current one is complete.
void settle(Barrier& barrier, std::uint32_t address) {
  if (barrier.pending != 0 || barrier.grains != 0) return;
  barrier.phase ^= 1U;
  barrier.pending = barrier.arrivals;
  BarrierClocks& clocks = machine().barrier_clocks[address];
  clocks.passed = std::move(clocks.coming);
  clocks.coming.clear();
  std::erase_if(machine().waiters, [&](const Waiter& waiter) {
    if (waiter.barrier != address || waiter.parity == barrier.phase) return false;
    races::acquire(waiter.thread, clocks.passed);
    machine().wake(waiter.thread);
    return true;
  });
}

void deliver(const Copy& copy) {
  std::memcpy(shared_pointer(copy.to, copy.bytes), copy.from, copy.bytes);
  Barrier& barrier = barrier_at(copy.barrier);
  add_bytes(barrier, copy.bytes, -1);
  settle(barrier, copy.barrier);
}

}  // namespace

bool deliver_one() {
  std::vector<Copy>& copies = machine().copies;
  for (auto copy = copies.begin(); copy != copies.end(); ++copy) {
    for (const Waiter& waiter : machine().waiters) {
      if (waiter.barrier != copy->barrier) continue;
      const Copy wanted = *copy;
      copies.erase(copy);
      deliver(wanted);
      return true;
    }
  }
  return false;
}

std::uint32_t shared_address(const void* p) {
  const auto offset = static_cast<const unsigned char*>(p) - tarl::fleet::shared_memory;
  if (offset < 0 || offset >= static_cast<std::ptrdiff_t>(kSharedBytes)) {
    fail("the shared address of something that is not in shared memory");
  }
  return address_in_block(static_cast<std::uint32_t>(offset), machine().rank());
}

std::uint32_t address_in_block(std::uint32_t address, int rank) {
  return (address & ((1U << kRankBit) - 1)) | static_cast<std::uint32_t>(rank) << kRankBit;
}

std::byte* shared_pointer(std::uint32_t address, std::size_t bytes) {
  const std::uint32_t offset = address_in_block(address, 0);
  if (offset + bytes > kSharedBytes) fail("an address beyond shared memory");
  return machine().memory_of(static_cast<int>(address >> kRankBit)) + offset;
}

void barrier_init(std::uint32_t address, std::uint32_t arrivals) {
  const auto count = static_cast<std::uint16_t>(arrivals);
  barrier_slot(address) = {kMagic, 0, count, count, 0};
}

void barrier_arrive(std::uint32_t address, std::uint32_t expected_bytes) {
  Barrier& barrier = barrier_at(address);
  if (barrier.pending == 0) fail("more arrivals at a barrier than it expects");
  races::release(machine().current(), machine().barrier_clocks[address].coming);
  add_bytes(barrier, expected_bytes, 1);
  --barrier.pending;
  settle(barrier, address);
}

void barrier_wait(std::uint32_t address, std::uint32_t parity) {
  if (barrier_at(address).phase != parity) {
    races::acquire(machine().current(), machine().barrier_clocks[address].passed);
    return;
  }
  machine().waiters.push_back({machine().current(), address, parity});
  machine().wait();
}

void bulk_load(std::uint32_t to, const void* from, std::uint32_t bytes, std::uint32_t barrier) {
  if (to % kGrain != 0 || reinterpret_cast<std::uintptr_t>(from) % kGrain != 0) {
    fail("a bulk copy of something that is not aligned to 16 bytes");
  }
  const Copy copy{to, from, bytes, barrier};
  races::access(from, bytes, false, __builtin_return_address(0));
  races::access(shared_pointer(to, bytes), bytes, true, __builtin_return_address(0));
  races::release(machine().current(), machine().barrier_clocks[barrier].coming);
  if (!machine().schedule.late) {
    deliver(copy);
    return;
  }
  std::memset(shared_pointer(to, bytes), machine().schedule.poison, bytes);
  machine().copies.push_back(copy);
}

void copy_bytes(std::uint32_t to, const void* from, std::uint32_t bytes) {
  std::byte* target = shared_pointer(to, bytes);
  if (to % bytes != 0 || reinterpret_cast<std::uintptr_t>(from) % bytes != 0) {
    fail("a copy of " + std::to_string(bytes) + " bytes that are not aligned");
  }
  races::access(from, bytes, false, __builtin_return_address(0));
  races::access(target, bytes, true, __builtin_return_address(0));
  if (!machine().schedule.late) {
    std::memcpy(target, from, bytes);
    return;
  }
  std::memset(target, machine().schedule.poison, bytes);
  Fiber& fiber = machine().fiber();
  fiber.copies.push_back({fiber.copy_groups, to, from, bytes});
}

void commit_copies() {
  ++machine().fiber().copy_groups;
}

void wait_for_copies(int but) {
  Fiber& fiber = machine().fiber();
  std::erase_if(fiber.copies, [&](const OwnCopy& copy) {
    if (copy.group + but >= fiber.copy_groups) return false;
    std::memcpy(shared_pointer(copy.to, copy.bytes), copy.from, copy.bytes);
    return true;
  });
}

}  // namespace tarl::emulated
