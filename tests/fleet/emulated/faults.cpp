// SPDX-License-Identifier: MIT
//
// Tests the emulation itself: it must detect faults in kernels.
#include <vector>

#include <cuda_fp16.h>
#include <gtest/gtest.h>

#include "tarl/fleet/minatar_dqn/fp16_layout.h"

namespace tarl::fleet {

extern unsigned char shared_memory[];

namespace {

using emulated::Schedule;

constexpr int kThreads = 128;

template <class T>
T* shared() {
  return reinterpret_cast<T*>(shared_memory);
}

std::string run(const std::function<void()>& kernel, int cluster = 1) {
  return emulated::run_grid({cluster, cluster, kThreads, 65536}, kernel);
}

// The values of all threads after each passed a number to its neighbour in the next warp.
std::vector<int> handed_on(const Schedule& schedule, bool with_barrier) {
  std::vector<int> out(kThreads, -1);
  emulated::set_schedule(schedule);
  const std::string error = run([&] {
    shared<int>()[threadIdx.x] = static_cast<int>(threadIdx.x);
    if (with_barrier) __syncthreads();
    out[threadIdx.x] = shared<int>()[(threadIdx.x + 32) % kThreads];
  });
  emulated::set_schedule({});
  EXPECT_EQ(error, "");
  return out;
}

TEST(EmulatedFaults, AMissingBarrierShowsInAnotherOrder) {
  const Schedule back{.order = Schedule::Order::kDescending};
  EXPECT_EQ(handed_on({}, true), handed_on(back, true));
  EXPECT_EQ(handed_on({}, true)[5], 37);
  EXPECT_NE(handed_on({}, false), handed_on(back, false));
}

TEST(EmulatedFaults, ABarrierNobodyComesToIsReported) {
  const std::string error = run([] {
    const std::uint32_t barrier = emulated::shared_address(shared_memory);
    if (threadIdx.x == 0) emulated::barrier_init(barrier, 2);
    __syncthreads();
    emulated::barrier_wait(barrier, 0);
  });
  EXPECT_NE(error.find("deadlock: of 128 threads"), std::string::npos) << error;
  EXPECT_NE(error.find("128 for a barrier in memory"), std::string::npos) << error;
}

TEST(EmulatedFaults, LanesThatPartAreReported) {
  const std::string error = run([] {
    if (threadIdx.x % 2 == 0) {
      __syncwarp();
    } else {
      __ballot_sync(0xFFFFFFFFU, 1);
    }
  });
  EXPECT_EQ(error, "block 0, thread 1: lanes of a warp execute different collective operations");
}

TEST(EmulatedFaults, ABulkCopyComesWhenSomebodyWaits) {
  alignas(16) const std::uint32_t from[4] = {1, 2, 3, 4};
  for (const bool waits : {true, false}) {
    std::uint32_t seen = 0;
    const std::string error = run([&] {
      const std::uint32_t barrier = emulated::shared_address(shared_memory);
      if (threadIdx.x == 0) {
        emulated::barrier_init(barrier, 1);
        emulated::barrier_arrive(barrier, sizeof(from));
        emulated::bulk_load(barrier + 16, from, sizeof(from), barrier);
      }
      __syncthreads();
      if (waits) emulated::barrier_wait(barrier, 0);
      if (threadIdx.x == 77) seen = shared<std::uint32_t>()[6];
    });
    EXPECT_EQ(seen, waits ? 3U : 0xFFFFFFFFU);
    EXPECT_EQ(error, waits ? "" : "a bulk copy was never waited for");
  }
}

TEST(EmulatedFaults, OwnCopiesComeByTheGroup) {
  alignas(16) const std::uint32_t from[8] = {1, 2, 3, 4, 5, 6, 7, 8};
  std::uint32_t seen[2] = {};
  const auto copy_two = [&](int but) {
    return run([&, but] {
      if (threadIdx.x != 9) return;
      const std::uint32_t to = emulated::shared_address(shared_memory);
      for (std::uint32_t i = 0; i < 2; ++i) {
        emulated::copy_bytes(to + 16 * i, from + 4 * i, 16);
        emulated::commit_copies();
      }
      emulated::wait_for_copies(but);
      for (std::uint32_t i = 0; i < 2; ++i) seen[i] = shared<std::uint32_t>()[4 * i + 1];
    });
  };
  EXPECT_EQ(copy_two(0), "");
  EXPECT_EQ(seen[0], 2U);
  EXPECT_EQ(seen[1], 6U);
  EXPECT_EQ(copy_two(1), "a thread never waited for its copy");
  EXPECT_EQ(seen[0], 2U);
  EXPECT_EQ(seen[1], 0xFFFFFFFFU);
}

TEST(EmulatedFaults, BlocksOfAClusterReachEachOther) {
  constexpr int kBlocks = 4;
  std::vector<int> out(kBlocks * kThreads, -1);
  const std::string error = run(
      [&] {
        const auto thread = static_cast<int>(threadIdx.x), rank = emulated::cluster_rank();
        const std::uint32_t barrier = emulated::shared_address(shared_memory);
        if (thread == 0) emulated::barrier_init(barrier, kThreads);
        emulated::cluster_arrive();
        emulated::cluster_wait();
        // To the next block, through its shared memory and its barrier.
        const int next = (rank + 1) % kBlocks;
        const std::uint32_t to =
            emulated::address_in_block(barrier, next) + 16 + 4 * static_cast<unsigned>(thread);
        *reinterpret_cast<int*>(emulated::shared_pointer(to, 4)) = 1000 * rank + thread;
        emulated::barrier_arrive(emulated::address_in_block(barrier, next), 0);
        emulated::barrier_wait(barrier, 0);
        out[blockIdx.x * kThreads + threadIdx.x] = shared<int>()[4 + (thread + 1) % kThreads];
        emulated::cluster_arrive();
        emulated::cluster_wait();
      },
      kBlocks);
  EXPECT_EQ(error, "");
  for (int i = 0; i < kBlocks * kThreads; ++i) {
    const int from = (i / kThreads + kBlocks - 1) % kBlocks;
    EXPECT_EQ(out[static_cast<std::size_t>(i)], 1000 * from + (i + 1) % kThreads);
  }
}

TEST(EmulatedFaults, PartsOfABlockMeet) {
  std::vector<int> out(kThreads, -1);
  const std::string error = run([&] {
    const auto half = static_cast<int>(threadIdx.x / 64);
    shared<int>()[threadIdx.x] = static_cast<int>(threadIdx.x);
    emulated::meet_some(1 + half, 64);
    out[threadIdx.x] = shared<int>()[threadIdx.x ^ 63U];
  });
  EXPECT_EQ(error, "");
  for (int i = 0; i < kThreads; ++i) EXPECT_EQ(out[static_cast<std::size_t>(i)], i ^ 63);
}

TEST(EmulatedFaults, HalvesRoundToNearestEven) {
  for (std::uint32_t bits = 0; bits < 0x7F800000U; bits += 997) {
    const float value = __uint_as_float(bits);
    ASSERT_EQ(__float2half_rn(value).bits, to_half(value)) << value;
    ASSERT_EQ(__float2half_rn(-value).bits, to_half(-value)) << value;
  }
  for (std::uint32_t half = 0; half < 0x7C00U; ++half) {
    const auto bits = static_cast<std::uint16_t>(half);
    ASSERT_EQ(__half2float({bits}), from_half(bits));
  }
}

}  // namespace
}  // namespace tarl::fleet
