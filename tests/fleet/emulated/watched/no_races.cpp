// SPDX-License-Identifier: MIT
#include "fleet/emulated/races.h"
#include "fleet/gpu/fleet_helpers.h"
#include <cuda_runtime.h>
#include <gtest/gtest.h>

namespace tarl::fleet {

extern unsigned char shared_memory[];

namespace {

struct Case {
  const char *algo, *env;
  std::vector<std::string> set;
};

std::vector<std::string> races_in(const Case& c) {
  std::vector<std::string> set = c.set;
  set.insert(set.end(), {"learning_starts=40", "buffer_size=41", "target_update_interval=42",
                         "exploration_fraction=0.01"});
  const auto agent = new_device_agent(test::short_run(c.algo, c.env, set), true);
  test::advance(*agent, 43);
  EXPECT_EQ(agent->head().updates, 3);
  return emulated::races::found();
}

TEST(FleetRaces, KernelsHaveNone) {
  emulated::races::watch();
  const std::string half = "fleet.precision=fp16", small = "policy.net_arch=[32]";
  const Case cases[] = {{"ta-ddqn+per", "minatar/breakout", {half}},
                        {"ta-dqn+reaper", "minatar/seaquest", {half, "align.margin=1"}},
                        {"dqn", "minatar/asterix", {half}},
                        {"ta-dqn+per", "minatar/freeway", {half, "batch_size=64"}},
                        {"dqn", "minatar/breakout", {half, "fleet.blocks=2"}},
                        {"ta-dqn", "minatar/breakout", {half, "fleet.blocks=4"}},
                        {"ta-ddqn+reaper", "minatar/breakout", {small}},
                        {"ta-dqn+per", "minatar/freeway", {small, "replay.draw=stratified"}}};
  for (const Case& c : cases) {
    for (const std::string& race : races_in(c)) {
      ADD_FAILURE() << c.algo << " " << c.env << ": " << race;
    }
  }
}

// Neighbours in a warp hand on a number, in shared memory.
std::size_t races_of_neighbours(bool in_order) {
  emulated::races::watch();
  std::vector<int> out(32);
  const std::string error = emulated::run_grid({1, 1, 32, 1024}, [&] {
    auto* room = reinterpret_cast<int*>(shared_memory);
    room[threadIdx.x] = static_cast<int>(threadIdx.x);
    if (in_order) __syncwarp();
    out[threadIdx.x] = room[threadIdx.x ^ 1];
  });
  EXPECT_EQ(error, "");
  return emulated::races::found().size();
}

TEST(FleetRaces, AMissingSyncwarpIsOne) {
  EXPECT_EQ(races_of_neighbours(true), 0U);
  EXPECT_EQ(races_of_neighbours(false), 2U);
}

}  // namespace
}  // namespace tarl::fleet
