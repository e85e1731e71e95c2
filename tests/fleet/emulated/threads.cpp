// SPDX-License-Identifier: MIT
#include "fleet/emulated/threads.h"

#include <bit>
#include <cstdlib>
#include <cstring>

#include <cuda_runtime.h>

namespace tarl::fleet {

// The array that kernels declare as extern __shared__: the memory of the running block.
alignas(1024) unsigned char shared_memory[emulated::kSharedBytes];

}  // namespace tarl::fleet

uint3 threadIdx, blockIdx;

namespace tarl::emulated {

using Order = Schedule::Order;

Machine the_machine;

std::string Machine::run(const Grid& grid, const std::function<void()>& kernel) {
  if (grid.threads <= 0 || grid.threads > 1024 || grid.threads % kWarpSize != 0) {
    return "a block has whole warps and at most 1024 threads";
  }
  if (grid.cluster <= 0 || grid.blocks % grid.cluster != 0) return "a grid has whole clusters";
  if (grid.cluster * grid.threads > kMostThreads) return "too many threads in a cluster";
  if (grid.shared_bytes > kSharedBytes) return "too much shared memory";
  grid_ = grid;
  kernel_ = &kernel;
  error_.clear();
  random_ = schedule.seed * 2 + 1;
  for (int first = 0; first < grid.blocks && error_.empty(); first += grid.cluster) {
    run_cluster(first);
  }
  return error_;
}

void Machine::run_cluster(int first) {
  first_block_ = first;
  copies.clear();
  waiters.clear();
  cluster_waiting_.clear();
  cluster_arrived_ = 0;
  alive_ = grid_.cluster * grid_.threads;
  fibers_.resize(static_cast<std::size_t>(alive_));
  for (int i = 0; i < alive_; ++i) {
    Fiber& fiber = fibers_[static_cast<std::size_t>(i)];
    fiber.top = stacks_.begin(i, &Machine::enter);
    fiber.products.clear();
    fiber.groups.clear();
    fiber.copies.clear();
    fiber.copy_groups = 0;
  }
  blocks_.resize(static_cast<std::size_t>(grid_.cluster));
  for (Block& block : blocks_) {
    block = {};
    block.alive = grid_.threads;
    block.warps.resize(static_cast<std::size_t>(grid_.threads / kWarpSize));
    block.memory.assign(grid_.cluster > 1 ? kSharedBytes : 0, schedule.poison);
    order_warps(block);
  }
  std::memset(tarl::fleet::shared_memory, schedule.poison, kSharedBytes);
  barrier_clocks.clear();
  cluster_clock_.clear();
  races::begin(alive_);
  running_block_ = 0;
  blockIdx = {static_cast<unsigned>(first), 0, 0};
  current_ = -1;
  resume(choose(schedule.order == Order::kDescending ? grid_.cluster - 1 : 0));
  current_ = -1;
  if (error_.empty() && !copies.empty()) error_ = "a bulk copy was never waited for";
  for (const Fiber& fiber : fibers_) {
    if (error_.empty() && !fiber.copies.empty()) error_ = "a thread never waited for its copy";
  }
}

void Machine::enter() {
  Machine& m = machine();
  (*m.kernel_)();
  m.end_thread();
}

void Machine::end_thread() {
  warp().alive &= ~(1U << lane());
  warp().ready &= warp().alive;
  if (--alive_ == 0) tarl_switch_fiber(&fiber().top, host_);
  if (--block().alive > 0 && block().arrived == block().alive) release_block();
  resume(choose(running_block_));
}

void Machine::fail(const std::string& what) {
  error_ = "block " + std::to_string(first_block_ + rank()) + ", thread " +
           std::to_string(threadIdx.x) + ": " + what;
  tarl_switch_fiber(&fiber().top, host_);
  std::abort();  // unreachable
}

std::byte* Machine::memory_of(int rank) {
  if (rank == running_block_) return reinterpret_cast<std::byte*>(tarl::fleet::shared_memory);
  if (rank >= grid_.cluster) fail("an address in a block outside the cluster");
  Block& block = blocks_[static_cast<std::size_t>(rank)];
  if (block.alive == 0) fail("an address in a block that has ended");
  return reinterpret_cast<std::byte*>(block.memory.data());
}

void Machine::pause(int rank) {
  const int next = choose(rank);
  if (next != current_) resume(next);
}

void Machine::wait() {
  warp().ready &= ~(1U << lane());
  if (warp().ready == 0) {
    pause(running_block_);
  } else {
    resume(current_ - lane() + choose_lane(warp().ready));
  }
}

// The thread that runs next, in the given block if one is runnable there. If no thread is runnable,
// pending copies are delivered.
int Machine::choose(int rank) {
  while (true) {
    const int step = schedule.order == Order::kDescending ? grid_.cluster - 1 : 1;
    for (int i = 0; i < grid_.cluster; ++i) {
      const int thread = choose_in(rank);
      if (thread >= 0) return thread;
      rank = (rank + step) % grid_.cluster;
    }
    if (!deliver_one()) fail("deadlock: " + who_waits());
  }
}

int Machine::choose_in(int rank) {
  Block& block = blocks_[static_cast<std::size_t>(rank)];
  for (std::size_t i = 0; i < block.order.size(); ++i) {
    const int number = block.order[block.turn];
    const std::uint32_t ready = block.warps[static_cast<std::size_t>(number)].ready;
    if (ready != 0) return rank * grid_.threads + number * kWarpSize + choose_lane(ready);
    block.turn = block.turn + 1 == block.order.size() ? 0 : block.turn + 1;
  }
  return -1;
}

int Machine::choose_lane(std::uint32_t ready) {
  if (schedule.order == Order::kAscending) return std::countr_zero(ready);
  if (schedule.order == Order::kDescending) return kWarpSize - 1 - std::countl_zero(ready);
  const auto start = static_cast<int>(draw(kWarpSize));
  return (start + std::countr_zero(std::rotr(ready, start))) % kWarpSize;
}

void Machine::resume(int thread) {
  void** from = current_ < 0 ? &host_ : &fiber().top;
  if (current_ >= 0 && stacks_.overrun(current_, __builtin_frame_address(0))) {
    fail("a thread overflowed its emulated stack");
  }
  if (current_ < 0 || thread / kWarpSize != current_ / kWarpSize) {
    const int rank = thread / grid_.threads;
    if (rank != running_block_) show_block(rank);
    running_warp_ = &warp_of(thread);
  }
  current_ = thread;
  threadIdx.x = static_cast<unsigned>(thread - running_block_ * grid_.threads);
  tarl_switch_fiber(from, fiber().top);
}

void Machine::show_block(int rank) {
  std::memcpy(block().memory.data(), tarl::fleet::shared_memory, kSharedBytes);
  running_block_ = rank;
  std::memcpy(tarl::fleet::shared_memory, block().memory.data(), kSharedBytes);
  blockIdx.x = static_cast<unsigned>(first_block_ + rank);
}

void Machine::order_warps(Block& block) {
  const int warps = grid_.threads / kWarpSize;
  block.order.resize(static_cast<std::size_t>(warps));
  for (int i = 0; i < warps; ++i) {
    block.order[static_cast<std::size_t>(i)] =
        schedule.order == Order::kDescending ? warps - 1 - i : i;
  }
  block.turn = 0;
  if (schedule.order != Order::kShuffled) return;
  for (auto left = static_cast<std::uint32_t>(warps); left > 1; --left) {
    std::swap(block.order[left - 1], block.order[draw(left)]);
  }
}

std::uint32_t Machine::draw(std::uint32_t below) {
  random_ = random_ * 6364136223846793005U + 1442695040888963407U;
  return static_cast<std::uint32_t>((random_ >> 33) % below);
}

std::string Machine::who_waits() const {
  int at_barrier = 0, in_warps = 0;
  for (const Block& block : blocks_) {
    at_barrier += block.arrived;
    for (const Warp& warp : block.warps) in_warps += std::popcount(warp.arrived);
  }
  return "of " + std::to_string(alive_) + " threads " + std::to_string(at_barrier) +
         " are at their block's barrier, " + std::to_string(in_warps) + " wait for their warp, " +
         std::to_string(waiters.size()) + " for a barrier in memory, " +
         std::to_string(cluster_waiting_.size()) + " for their cluster";
}

}  // namespace tarl::emulated
