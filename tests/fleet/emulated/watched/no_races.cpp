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

void expect_no_races(const Case& c, int buffer, int updates) {
  std::vector<std::string> set = c.set;
  set.insert(set.end(), {"learning_starts=40", "buffer_size=" + std::to_string(buffer),
                         "target_update_interval=42", "exploration_fraction=0.01"});
  const auto agent = test::new_device_agent(test::short_run(c.algo, c.env, set), true);
  test::advance(*agent, 40 + updates);
  EXPECT_EQ(agent->state().updates, updates);
  for (const std::string& race : emulated::races::found()) {
    ADD_FAILURE() << c.algo << " " << c.env << ": " << race;
  }
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
                        {"ta-dqn+per", "minatar/freeway", {small, "replay.draw=stratified"}},
                        {"ta-ddqn", "minatar/asterix", {small, "fleet.precision=tf32"}}};
  for (const Case& c : cases) expect_no_races(c, 41, 3);
}

// Steps whose rows were drawn and gathered while the newest transition, which is among them, was
// still being played. The next action is random, so that it differs.
TEST(FleetRaces, TheNewestTransitionIsHandedOn) {
  emulated::races::watch();
  expect_no_races({"dqn", "minatar/breakout", {"policy.net_arch=[32]", "exploration_final_eps=1"}},
                  300, 12);
}

// Steps that play beside the update, knowing from the previous step that no action ends the
// episode.
TEST(FleetRaces, ReaperPlaysBesideWithoutAny) {
  emulated::races::watch();
  for (const char* set : {"policy.net_arch=[32]", "fleet.precision=fp16"}) {
    expect_no_races({"dqn+reaper", "minatar/breakout", {set}}, 300, 12);
  }
}

// Neighbouring lanes of a warp pass a number on through shared memory.
std::size_t races_of_neighbours(bool in_order) {
  emulated::races::watch();
  std::vector<int> out(32);
  const std::string error = emulated::run_grid({1, 1, 32, 1024}, [&] {
    auto* words = reinterpret_cast<int*>(shared_memory);
    words[threadIdx.x] = static_cast<int>(threadIdx.x);
    if (in_order) __syncwarp();
    out[threadIdx.x] = words[threadIdx.x ^ 1];
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
