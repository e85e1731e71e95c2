// SPDX-License-Identifier: MIT
//
// Compares a MinAtar run on the machine's cores with the game as a kernel plays it.
#include "fleet/host_run.h"

#include "tarl/fleet/minatar_dqn/play.h"
#include "tarl/fleet/minatar_dqn/specify.h"

namespace tarl::fleet {
namespace {

using test::HostRun;

TEST(HostLanes, PlayMinatarAsAKernelDoes) {
  CorePool pool(test::threads(2));
  for (const char* env : {"minatar/asterix", "minatar/breakout", "minatar/freeway",
                          "minatar/space_invaders", "minatar/seaquest"}) {
    const train::RunConfig config = test::idle_run("dqn", env, 1, 7);
    const AgentSpec spec = make_spec(config);
    HostRun run(pool, config);
    const auto bytes = static_cast<std::size_t>(spec.obs_bytes);
    Play play;
    std::memset(play.bytes, 0, sizeof play.bytes);
    alignas(8) std::byte board[kMaxObsBytes];
    begin_play(spec, seeded(7).fork("env/0"), play);
    reset_play(spec, play, board);
    for (int step = 0; step < 3000; ++step) {
      const train::EnvSlotState slot = run.lanes.slots().state(0);
      ASSERT_EQ(std::memcmp(slot.obs.data(), board, bytes), 0) << env << " step " << step;
      run.send();
      ASSERT_EQ(pool.receive(), run.lanes.id());
      const rl::StepResult& theirs = run.lanes.slots().state(0).result;
      const envs::minatar::Outcome ours = step_play(spec, play, slot.action.index, board);
      ASSERT_EQ(theirs.reward, static_cast<float>(ours.reward)) << env << " step " << step;
      ASSERT_EQ(theirs.terminated, ours.terminal) << env << " step " << step;
      ASSERT_EQ(std::memcmp(run.lanes.slots().next_obs().data(), board, bytes), 0) << env;
      if (ours.terminal) reset_play(spec, play, board);
      if (run.arrived()) continue;
      ASSERT_EQ(pool.receive(), run.lanes.id());
    }
    const Tensors state = run.state();
    Rng rng;
    StateReader(state, "test").group("lane/0/env").get("rng", rng);
    EXPECT_EQ(rng, play.rng) << env;
  }
}

}  // namespace
}  // namespace tarl::fleet
