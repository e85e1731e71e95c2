// SPDX-License-Identifier: MIT
#include "fleet/emulated/machine.h"

#include "fleet/emulated/races.h"
#include "fleet/emulated/threads.h"

// Collective operations of lanes, warps and blocks.
namespace tarl::emulated {

bool Machine::arrive(Collective what, std::uint32_t mask) {
  Warp& mine = warp();
  if (mask != kAllLanes) fail("collective operations of part of a warp are not emulated");
  if (mine.arrived == 0) mine.what = what;
  if (mine.what != what) fail("lanes of a warp execute different collective operations");
  mine.arrived |= 1U << lane();
  return mine.arrived == kAllLanes;
}

void Machine::release_warp() {
  Warp& mine = warp();
  if (mine.what == Collective::kSync) races::meet(current() - lane(), kWarpSize);
  mine.arrived = 0;
  mine.ready = kAllLanes;
  ++mine.meetings;
  if (schedule.order == Schedule::Order::kShuffled && draw(4) == 0) {
    // Occasionally switch to another warp.
    block().turn = draw(static_cast<std::uint32_t>(block().order.size()));
    pause(rank());
  }
}

int Machine::meet_block(int value) {
  Block& mine = block();
  const unsigned round = mine.meetings % 2;
  if (mine.arrived == 0) mine.sum[round] = 0;
  mine.sum[round] += value;
  if (++mine.arrived < mine.alive) {
    wait();
  } else {
    release_block();
    // Occasionally switch to another block.
    const bool shuffled = schedule.order == Schedule::Order::kShuffled;
    pause(shuffled && draw(4) == 0 ? static_cast<int>(draw(cluster())) : rank());
  }
  return mine.sum[round];
}

void Machine::release_block() {
  Block& mine = block();
  races::meet(rank() * grid_.threads, grid_.threads);
  mine.arrived = 0;
  ++mine.meetings;
  for (Warp& warp : mine.warps) warp.ready = warp.alive;
  order_warps(mine);
}

void Machine::cluster_arrive() {
  fiber().cluster_round = cluster_round_;
  races::release(current(), cluster_clock_);
  if (++cluster_arrived_ < alive_) return;
  cluster_arrived_ = 0;
  ++cluster_round_;
  cluster_passed_ = std::move(cluster_clock_);
  cluster_clock_.clear();
  for (const int thread : cluster_waiting_) wake(thread);
  cluster_waiting_.clear();
}

void Machine::cluster_wait() {
  if (fiber().cluster_round == cluster_round_) {
    cluster_waiting_.push_back(current());
    wait();
  }
  races::acquire(current(), cluster_passed_);
}

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
  Warp& warp = m.warp();
  std::uint64_t(&values)[kWarpSize] = warp.value[warp.meetings % 2];
  values[m.lane()] = value;
  if (m.arrive(what, mask)) {
    m.release_warp();
  } else {
    m.wait();
  }
  return values;
}

void together(Collective what, void* mine, void (*work)(const Boxes& boxes)) {
  Machine& m = machine();
  Warp& warp = m.warp();
  warp.box[m.lane()] = mine;
  if (m.arrive(what, kAllLanes)) {
    work(warp.box);
    m.release_warp();
  } else {
    m.wait();
  }
}

int meet_block(int value) {
  return machine().meet_block(value);
}

void arrive_some(int id, int threads) {
  Machine& m = machine();
  Meeting& meeting = m.block().named[id];
  if (threads % kWarpSize != 0) fail("a barrier for a number of threads that is not whole warps");
  races::release(m.current(), meeting.clock);
  if (++meeting.arrived < threads) return;
  for (const int thread : meeting.waiting) {
    races::acquire(thread, meeting.clock);
    m.wake(thread);
  }
  races::acquire(m.current(), meeting.clock);
  meeting = {};
}

void meet_some(int id, int threads) {
  Machine& m = machine();
  Meeting& meeting = m.block().named[id];
  const bool last = meeting.arrived + 1 == threads;
  if (!last) meeting.waiting.push_back(m.current());
  arrive_some(id, threads);
  if (!last) m.wait();
}

void cluster_arrive() {
  machine().cluster_arrive();
}

void cluster_wait() {
  machine().cluster_wait();
}

int cluster_rank() {
  return machine().rank();
}

}  // namespace tarl::emulated
