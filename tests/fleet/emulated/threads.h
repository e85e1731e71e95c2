// SPDX-License-Identifier: MIT
#pragma once

#include <map>
#include <vector>

#include "fleet/emulated/fibers.h"
#include "fleet/emulated/machine.h"
#include "fleet/emulated/races.h"

// The machine's threads: what each waits for, and which one runs.
namespace tarl::emulated {

// A cp.async, pending until its thread waits for its group.
struct OwnCopy {
  int group;
  std::uint32_t to;
  const void* from;
  std::uint32_t bytes;
};

struct Fiber {
  void* top = nullptr;       // stack pointer while it waits
  unsigned cluster_round{};  // the round in which it arrived at the cluster's barrier
  std::vector<Wgmma> products;
  std::vector<std::size_t> groups;  // committed groups: the number of products at the end of each
  std::vector<OwnCopy> copies;
  int copy_groups = 0;
};

struct Warp {
  std::uint32_t alive = kAllLanes, ready = kAllLanes, arrived = 0;
  Collective what{};
  unsigned meetings = 0;
  std::uint64_t value[2][kWarpSize];  // double-buffered: slow lanes still read one set while fast
                                      // lanes write the other
  Boxes box;
};

// A barrier for threads of a block.
struct Meeting {
  int arrived = 0;
  races::Clock clock;
  std::vector<int> waiting;
};

struct Block {
  std::vector<Warp> warps;
  std::vector<int> order;  // order of the warps' turns
  std::size_t turn = 0;
  int alive = 0, arrived = 0;
  unsigned meetings = 0;
  int sum[2] = {};
  Meeting named[16];
  std::vector<unsigned char> memory;  // shared memory, saved while another block runs
};

struct Copy {
  std::uint32_t to;
  const void* from;
  std::uint32_t bytes, barrier;
};

struct Waiter {
  int thread;
  std::uint32_t barrier, parity;
};

// Clocks released by arrivals at an mbarrier: of the current phase, and of the completed one.
struct BarrierClocks {
  races::Clock coming, passed;
};

class Machine {
 public:
  std::string run(const Grid& grid, const std::function<void()>& kernel);
  [[noreturn]] void fail(const std::string& what);

  // The running thread, numbered within the cluster.
  Fiber& fiber() { return fibers_[static_cast<std::size_t>(current_)]; }

  Warp& warp() { return *running_warp_; }

  Block& block() { return blocks_[static_cast<std::size_t>(running_block_)]; }

  int current() const { return current_; }

  int rank() const { return running_block_; }

  std::uint32_t cluster() const { return static_cast<std::uint32_t>(blocks_.size()); }

  int lane() const { return current_ % kWarpSize; }

  std::byte* memory_of(int rank);

  bool has_ended(int rank) const { return blocks_[static_cast<std::size_t>(rank)].alive == 0; }

  // Yields, to the given block if possible; returns when this thread is chosen again.
  void pause(int rank);
  void wait();  // until woken

  void wake(int thread) { warp_of(thread).ready |= 1U << (thread % kWarpSize); }

  // A lane arrives at a collective operation of its warp. Returns true for the last lane, which
  // must release the warp.
  bool arrive(Collective what, std::uint32_t mask);
  void release_warp();
  int meet_block(int value);
  void cluster_arrive();
  void cluster_wait();

  std::vector<Copy> copies;
  std::vector<Waiter> waiters;
  std::map<std::uint32_t, BarrierClocks> barrier_clocks;
  Schedule schedule;

 private:
  static void enter();
  void run_cluster(int first);
  void end_thread();
  void release_block();
  void order_warps(Block& block);
  int choose(int rank);
  int choose_in(int rank);
  int choose_lane(std::uint32_t ready);
  void resume(int thread);
  void show_block(int rank);
  std::uint32_t draw(std::uint32_t below);
  std::string who_waits() const;

  Warp& warp_of(int thread) {
    Block& of = blocks_[static_cast<std::size_t>(thread / grid_.threads)];
    return of.warps[static_cast<std::size_t>(thread % grid_.threads / kWarpSize)];
  }

  static constexpr int kMostThreads = 8 * 512;  // per cluster
  Stacks stacks_{kMostThreads};
  std::vector<Fiber> fibers_;
  std::vector<Block> blocks_;
  Grid grid_;
  void* host_ = nullptr;
  const std::function<void()>* kernel_ = nullptr;
  std::string error_;
  std::uint64_t random_ = 1;
  int first_block_ = 0;
  int current_ = -1, running_block_ = 0, alive_ = 0;
  Warp* running_warp_ = nullptr;
  int cluster_arrived_ = 0;
  unsigned cluster_round_ = 0;
  std::vector<int> cluster_waiting_;
  races::Clock cluster_clock_, cluster_passed_;
};

extern Machine the_machine;

inline Machine& machine() {
  return the_machine;
}

// Completes one of the copies that threads wait for; false if there is none.
bool deliver_one();

}  // namespace tarl::emulated
