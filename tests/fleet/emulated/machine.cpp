// SPDX-License-Identifier: MIT
#include "fleet/emulated/machine.h"

#include <bit>
#include <cstring>
#include <deque>
#include <memory>
#include <vector>

#include "fleet/emulated/products.h"
#include <cuda_runtime.h>
#include <sys/mman.h>

// Leaves the running fiber, whose stack pointer goes to *from, and resumes the one at `to`.
extern "C" void tarl_switch_fiber(void** from, void* to);

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

namespace tarl::fleet {

// What kernels declare as extern __shared__: the memory of the block that runs.
alignas(1024) unsigned char shared_memory[emulated::kSharedBytes];

}  // namespace tarl::fleet

uint3 threadIdx, blockIdx;

namespace tarl::emulated {

namespace {

// Not a power of two: the tops of all stacks would fall on the same lines of the cache.
constexpr std::size_t kStackBytes = 128 * 1024 + 5 * 64;
constexpr int kMaxThreads = 1024;
constexpr std::uint32_t kAllLanes = 0xFFFFFFFFU;

struct Fiber {
  void* top = nullptr;  // of its stack, while it waits
  std::vector<Wgmma> products;
  std::vector<std::size_t> groups;  // committed ones, by how many products each ends at
};

struct Warp {
  std::uint32_t alive = kAllLanes, ready = kAllLanes, arrived = 0;
  Collective what{};
  unsigned meetings = 0;
  std::uint64_t value[2]
                     [kWarpSize];  // by turns: slow lanes read one while fast ones write the next
  Boxes box;
};

// In shared memory, as long as a barrier of the device.
struct Barrier {
  std::uint8_t magic, phase;
  std::uint16_t arrivals, pending;
  std::int16_t grains;  // of 16 bytes that are still to come
};

static_assert(sizeof(Barrier) == 8);
constexpr std::uint8_t kMagic = 0xB7;
constexpr std::uint32_t kGrain = 16;

std::int16_t grains_of(std::uint32_t bytes) {
  if (bytes % kGrain != 0) fail("bytes of bulk copies that are not a multiple of 16");
  return static_cast<std::int16_t>(bytes / kGrain);
}

struct Copy {
  std::uint32_t to;
  const void* from;
  std::uint32_t bytes, barrier;
};

struct Waiter {
  int thread;
  std::uint32_t barrier, parity;
};

class Machine {
 public:
  Machine() {
    void* stacks = ::mmap(nullptr, kStackBytes * kMaxThreads, PROT_READ | PROT_WRITE,
                          MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (stacks == MAP_FAILED) throw std::bad_alloc();
    stacks_ = static_cast<std::byte*>(stacks);
  }

  Schedule schedule;

  std::string run(const Grid& grid, const std::function<void()>& kernel) {
    if (grid.threads == 0 || grid.threads > kMaxThreads || grid.threads % kWarpSize != 0) {
      return "blocks need whole warps and at most 1024 threads";
    }
    if (grid.shared_bytes > kSharedBytes) return "too much shared memory";
    kernel_ = &kernel;
    error_.clear();
    random_ = schedule.seed * 2 + 1;
    for (unsigned block = 0; block < grid.blocks && error_.empty(); ++block) {
      blockIdx = {block, 0, 0};
      run_block(grid);
    }
    return error_;
  }

  [[noreturn]] void fail(const std::string& what) {
    error_ = "thread " + std::to_string(current_) + ": " + what;
    leave();
    std::abort();  // nobody comes back
  }

  // A lane's part in something its warp does together. True for the last one, which then releases.
  bool arrive(Collective what, std::uint32_t mask) {
    Warp& warp = own_warp();
    if (mask != kAllLanes) fail("a collective of a part of a warp is not emulated");
    if (warp.arrived == 0) warp.what = what;
    if (warp.what != what) fail("lanes of a warp do different things together");
    warp.arrived |= 1U << lane();
    return warp.arrived == kAllLanes;
  }

  void release_warp() {
    Warp& warp = own_warp();
    warp.arrived = 0;
    ++warp.meetings;
    warp.ready = kAllLanes;
    // Somebody else's turn, sometimes.
    if (schedule.order == Schedule::Order::kShuffled && draw(4) == 0) pause(true);
  }

  void pause(bool still_ready) {
    if (!still_ready) own_warp().ready &= ~(1U << lane());
    const int next = choose();
    if (next != current_) resume(next);
  }

  int meet_block(int value) {
    const unsigned room = block_meetings_ % 2;
    if (block_arrived_ == 0) block_sum_[room] = 0;
    block_sum_[room] += value;
    if (++block_arrived_ < alive_) {
      pause(false);
    } else {
      release_block();
      pause(true);
    }
    return block_sum_[room];
  }

  Warp& own_warp() { return warps_[current_ / kWarpSize]; }

  Fiber& own_fiber() { return fibers_[current_]; }

  int lane() const { return current_ % kWarpSize; }

  Barrier& barrier_at(std::uint32_t address) {
    if (address % 8 != 0) fail("a barrier that is not aligned to 8 bytes");
    auto& barrier = *reinterpret_cast<Barrier*>(shared_pointer(address, sizeof(Barrier)));
    if (barrier.magic != kMagic) fail("a barrier that was not initialised, or overwritten");
    return barrier;
  }

  void settle(Barrier& barrier, std::uint32_t address) {
    if (barrier.pending != 0 || barrier.grains != 0) return;
    barrier.phase ^= 1U;
    barrier.pending = barrier.arrivals;
    std::erase_if(waiters_, [&](const Waiter& waiter) {
      if (waiter.barrier != address || waiter.parity == barrier.phase) return false;
      warps_[waiter.thread / kWarpSize].ready |= 1U << (waiter.thread % kWarpSize);
      return true;
    });
  }

  void wait(std::uint32_t address, std::uint32_t parity) {
    const Barrier& barrier = barrier_at(address);
    if (barrier.phase != parity) return;
    waiters_.push_back({current_, address, parity});
    pause(false);
  }

  void issue(const Copy& copy) {
    if (!schedule.late) {
      deliver(copy);
      return;
    }
    std::memset(shared_pointer(copy.to, copy.bytes), schedule.poison, copy.bytes);
    copies_.push_back(copy);
  }

 private:
  static void enter();

  void run_block(const Grid& grid) {
    threads_ = static_cast<int>(grid.threads);
    alive_ = threads_;
    block_arrived_ = 0;
    copies_.clear();
    waiters_.clear();
    fibers_.resize(grid.threads);
    warps_.assign(grid.threads / kWarpSize, {});
    std::memset(tarl::fleet::shared_memory, schedule.poison, kSharedBytes);
    for (int i = 0; i < threads_; ++i) prepare(i);
    order_warps();
    current_ = -1;
    resume(choose());
    if (error_.empty() && !copies_.empty()) error_ = "a bulk copy nobody waited for";
  }

  void prepare(int thread) {
    fibers_[thread].products.clear();
    fibers_[thread].groups.clear();
    auto* end = stacks_ + kStackBytes * (thread + 1);
    auto** top = reinterpret_cast<void**>(reinterpret_cast<std::uintptr_t>(end) / 16 * 16) - 2;
    *top = reinterpret_cast<void*>(&Machine::enter);
    for (int i = 0; i < 6; ++i) *--top = nullptr;
    fibers_[thread].top = top;
  }

  // The thread whose turn it is. Where nobody can run, what is under way comes in.
  int choose() {
    while (true) {
      for (int i = 0; i < static_cast<int>(warps_.size()); ++i) {
        const Warp& warp = warps_[order_[turn_]];
        if (warp.ready != 0) return order_[turn_] * kWarpSize + choose_lane(warp.ready);
        turn_ = turn_ + 1 == static_cast<int>(warps_.size()) ? 0 : turn_ + 1;
      }
      if (!deliver_one()) fail("nobody can go on: " + who_waits());
    }
  }

  int choose_lane(std::uint32_t ready) {
    if (schedule.order == Schedule::Order::kAscending) return std::countr_zero(ready);
    if (schedule.order == Schedule::Order::kDescending) return 31 - std::countl_zero(ready);
    const auto start = static_cast<int>(draw(kWarpSize));
    return (start + std::countr_zero(std::rotr(ready, start))) % kWarpSize;
  }

  void resume(int thread) {
    void** from = current_ < 0 ? &host_ : &fibers_[current_].top;
    current_ = thread;
    threadIdx.x = static_cast<unsigned>(thread);
    tarl_switch_fiber(from, fibers_[thread].top);
  }

  void leave() { tarl_switch_fiber(&fibers_[current_].top, host_); }

  void end_thread() {
    own_warp().alive &= ~(1U << lane());
    own_warp().ready &= ~(1U << lane());
    if (--alive_ == 0) leave();
    if (block_arrived_ == alive_) release_block();
    resume(choose());
  }

  void release_block() {
    block_arrived_ = 0;
    ++block_meetings_;
    for (Warp& warp : warps_) warp.ready = warp.alive;
    order_warps();
  }

  void order_warps() {
    const int warps = static_cast<int>(warps_.size());
    for (int i = 0; i < warps; ++i) {
      order_[i] = schedule.order == Schedule::Order::kDescending ? warps - 1 - i : i;
    }
    turn_ = 0;
    if (schedule.order != Schedule::Order::kShuffled) return;
    for (int left = warps; left > 1; --left) {
      std::swap(order_[left - 1], order_[draw(static_cast<unsigned>(left))]);
    }
  }

  std::uint32_t draw(std::uint32_t below) {
    random_ = random_ * 6364136223846793005U + 1442695040888963407U;
    return static_cast<std::uint32_t>((random_ >> 33) % below);
  }

  void deliver(const Copy& copy) {
    std::memcpy(shared_pointer(copy.to, copy.bytes), copy.from, copy.bytes);
    Barrier& barrier = barrier_at(copy.barrier);
    barrier.grains = static_cast<std::int16_t>(barrier.grains - grains_of(copy.bytes));
    settle(barrier, copy.barrier);
  }

  // The first copy that somebody waits for.
  bool deliver_one() {
    for (std::size_t i = 0; i < copies_.size(); ++i) {
      const Copy copy = copies_[i];
      for (const Waiter& waiter : waiters_) {
        if (waiter.barrier != copy.barrier) continue;
        copies_.erase(copies_.begin() + static_cast<std::ptrdiff_t>(i));
        deliver(copy);
        return true;
      }
    }
    return false;
  }

  std::string who_waits() const {
    return std::to_string(block_arrived_) + " of " + std::to_string(alive_) +
           " threads are at the block's barrier, " + std::to_string(waiters_.size()) +
           " wait for a barrier in memory";
  }

  std::byte* stacks_ = nullptr;
  std::vector<Fiber> fibers_;
  std::vector<Warp> warps_;
  void* host_ = nullptr;
  const std::function<void()>* kernel_ = nullptr;
  std::string error_;
  std::uint64_t random_ = 1;
  int threads_ = 0, alive_ = 0, current_ = -1;
  int order_[kMaxThreads / kWarpSize] = {}, turn_ = 0;
  int block_arrived_ = 0;
  unsigned block_meetings_ = 0;
  int block_sum_[2] = {};
  std::vector<Copy> copies_;
  std::vector<Waiter> waiters_;
};

Machine& machine() {
  static Machine one;
  return one;
}

void Machine::enter() {
  Machine& m = machine();
  (*m.kernel_)();
  m.end_thread();
}

void multiply_all(const Boxes& boxes) {
  Fiber* fibers[kWarpSize];
  for (int lane = 0; lane < kWarpSize; ++lane) fibers[lane] = static_cast<Fiber*>(boxes[lane]);
  const std::size_t count = fibers[0]->groups.front();
  for (std::size_t i = 0; i < count; ++i) {
    const Wgmma* lanes[kWarpSize];
    for (int lane = 0; lane < kWarpSize; ++lane) {
      if (fibers[lane]->products.size() < count || fibers[lane]->groups.front() != count ||
          fibers[lane]->products[i].b != fibers[0]->products[i].b) {
        fail("lanes of a warp issued different wgmma");
      }
      lanes[lane] = &fibers[lane]->products[i];
    }
    multiply_wgmma(lanes);
  }
  for (Fiber* fiber : fibers) {
    fiber->products.erase(fiber->products.begin(),
                          fiber->products.begin() + static_cast<std::ptrdiff_t>(count));
    fiber->groups.erase(fiber->groups.begin());
    for (std::size_t& end : fiber->groups) end -= count;
  }
}

}  // namespace

void set_schedule(const Schedule& schedule) {
  machine().schedule = schedule;
}

std::string run_grid(const Grid& grid, const std::function<void()>& kernel) {
  return machine().run(grid, kernel);
}

void fail(const std::string& what) {
  machine().fail(what);
}

const std::uint64_t* exchange(Collective what, std::uint32_t mask, std::uint64_t value) {
  Machine& m = machine();
  Warp& warp = m.own_warp();
  const unsigned room = warp.meetings % 2;
  warp.value[room][m.lane()] = value;
  if (m.arrive(what, mask)) {
    m.release_warp();
  } else {
    m.pause(false);
  }
  return warp.value[room];
}

void together(Collective what, void* mine, void (*work)(const Boxes& boxes)) {
  Machine& m = machine();
  Warp& warp = m.own_warp();
  warp.box[m.lane()] = mine;
  if (m.arrive(what, kAllLanes)) {
    work(warp.box);
    m.release_warp();
  } else {
    m.pause(false);
  }
}

int meet_block(int value) {
  return machine().meet_block(value);
}

std::uint32_t shared_address(const void* p) {
  const auto offset = static_cast<const unsigned char*>(p) - tarl::fleet::shared_memory;
  if (offset < 0 || offset >= static_cast<std::ptrdiff_t>(kSharedBytes)) {
    fail("the address of something that is not in shared memory");
  }
  return static_cast<std::uint32_t>(offset);
}

std::byte* shared_pointer(std::uint32_t address, std::size_t bytes) {
  if (address + bytes > kSharedBytes) fail("an address beyond shared memory");
  return reinterpret_cast<std::byte*>(tarl::fleet::shared_memory) + address;
}

void barrier_init(std::uint32_t address, std::uint32_t arrivals) {
  auto& barrier = *reinterpret_cast<Barrier*>(shared_pointer(address, sizeof(Barrier)));
  const auto count = static_cast<std::uint16_t>(arrivals);
  barrier = {kMagic, 0, count, count, 0};
}

void barrier_arrive(std::uint32_t address, std::uint32_t expected_bytes) {
  Machine& m = machine();
  Barrier& barrier = m.barrier_at(address);
  if (barrier.pending == 0) fail("more arrivals at a barrier than it was made for");
  barrier.grains = static_cast<std::int16_t>(barrier.grains + grains_of(expected_bytes));
  --barrier.pending;
  m.settle(barrier, address);
}

void barrier_wait(std::uint32_t barrier, std::uint32_t parity) {
  machine().wait(barrier, parity & 1);
}

void bulk_load(std::uint32_t to, const void* from, std::uint32_t bytes, std::uint32_t barrier) {
  if (to % 16 != 0 || bytes % 16 != 0 || reinterpret_cast<std::uintptr_t>(from) % 16 != 0) {
    fail("a bulk copy of something that is not aligned to 16 bytes");
  }
  machine().issue({to, from, bytes, barrier});
}

void wgmma_issue(const Wgmma& product) {
  machine().own_fiber().products.push_back(product);
}

void wgmma_commit() {
  Fiber& fiber = machine().own_fiber();
  fiber.groups.push_back(fiber.products.size());
  if (!machine().schedule.late) wgmma_wait(0);
}

void wgmma_wait(int groups_left) {
  Fiber& fiber = machine().own_fiber();
  while (static_cast<int>(fiber.groups.size()) > groups_left) {
    together(Collective::kWgmma, &fiber, multiply_all);
  }
}

}  // namespace tarl::emulated
