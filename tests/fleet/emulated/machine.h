// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>

// Runs a GPU's thread blocks on one CPU thread: each of their threads is a fiber that runs until it
// has to wait for others.
namespace tarl::emulated {

inline constexpr int kWarpSize = 32;
inline constexpr std::uint32_t kAllLanes = 0xFFFFFFFFU;
inline constexpr std::size_t kSharedBytes = 232448;  // per block, as on sm_90

// The order in which runnable threads take turns. Race-free programs compute the same result in any
// order.
struct Schedule {
  enum class Order { kAscending, kDescending, kShuffled };
  Order order = Order::kAscending;
  std::uint64_t seed = 0;  // seed of kShuffled
  // Whether bulk copies and wgmma complete as late as the waits allow, or immediately.
  bool late = true;
  unsigned char poison = 0xFF;  // fills uninitialised shared memory
};

void set_schedule(const Schedule& schedule);

struct Grid {
  int blocks = 1, cluster = 1, threads = 0;
  std::size_t shared_bytes = 0;
};

// Runs a kernel to completion, one cluster after another. Returns an empty string, or one line that
// describes the failure.
std::string run_grid(const Grid& grid, const std::function<void()>& kernel);

// The remaining functions are for the threads of a running kernel.

// Aborts the kernel.
[[noreturn]] void fail(const std::string& what);

// Collective operations of a warp; all lanes must execute the same one.
enum class Collective : std::uint8_t { kSync, kShuffle, kVote, kProduct, kMatrices, kWgmma };

// Publishes `value` to the warp and returns the values of all lanes.
const std::uint64_t* exchange(Collective what, std::uint32_t mask, std::uint64_t value);

// The last lane to arrive does the work for the whole warp: `work` receives each lane's argument.
using Boxes = void* [kWarpSize];
void together(Collective what, void* mine, void (*work)(const Boxes& boxes));

// __syncthreads(), with the sum of the threads' values.
int meet_block(int value);

// bar.sync and bar.arrive: barrier `id` waits for that many threads of the block.
void meet_some(int id, int threads);
void arrive_some(int id, int threads);

// barrier.cluster.
void cluster_arrive();
void cluster_wait();
int cluster_rank();

// Shared memory: addresses as instructions see them, with the block's cluster rank in the highest
// byte, and the memory behind them.
std::uint32_t shared_address(const void* p);
std::uint32_t address_in_block(std::uint32_t address, int rank);
std::byte* shared_pointer(std::uint32_t address, std::size_t bytes);

// mbarriers in shared memory, which bulk copies signal.
void barrier_init(std::uint32_t barrier, std::uint32_t arrivals);
void barrier_arrive(std::uint32_t barrier, std::uint32_t expected_bytes);
void barrier_wait(std::uint32_t barrier, std::uint32_t parity);
void bulk_load(std::uint32_t to, const void* from, std::uint32_t bytes, std::uint32_t barrier);

// cp.async, pending until the thread waits for all but its last `but` groups of copies.
void copy_bytes(std::uint32_t to, const void* from, std::uint32_t bytes);
void commit_copies();
void wait_for_copies(int but);

// A thread's wgmma, pending until the thread waits for it: four floats of each of `tiles` tiles of
// 8 columns. The left operand is in registers, the right one in shared memory.
struct Wgmma {
  float (*d)[4];
  int tiles;
  std::uint32_t a[4];
  std::uint64_t b;
};

void wgmma_issue(const Wgmma& product);
void wgmma_commit();
void wgmma_wait(int groups_left);

}  // namespace tarl::emulated
