// SPDX-License-Identifier: MIT
//
// The fp16 kernel against the f32 one, which is bit-identical to the CPU's.
#include "fleet/gpu/fleet_helpers.h"
#include <gtest/gtest.h>

namespace tarl::fleet {
namespace {

// Draws of uniform replay do not depend on what was learned. Actions and kept rows do, and they
// diverge where rounding first splits a tie.
TEST(FleetPrecision, Fp16FollowsF32UntilRoundingSplitsATie) {
  const struct {
    const char *algo, *env, *batch;
  } cases[] = {{"ta-dqn", "minatar/breakout", "batch_size=32"},
               {"ta-dqn", "minatar/asterix", "batch_size=32"},
               {"ta-dqn", "minatar/seaquest", "batch_size=32"},
               {"dqn", "minatar/space_invaders", "batch_size=64"}};

  for (const auto& [algo, env, batch] : cases) {
    const train::RunConfig config =
        test::short_run(algo, env, {"exploration_fraction=0.2", "align.log=true", batch});
    train::RunConfig fast = config;
    fast.fleet.precision = Precision::kFp16;
    const auto exact = test::new_device_agent(config, true);
    const auto rounded = test::new_device_agent(fast, true);
    std::int64_t kept_split = 0, action_split = 0;
    for (std::int64_t step = 1; step < 600; ++step) {
      for (DeviceAgent* agent : {exact.get(), rounded.get()}) test::advance(*agent, step);
      if (action_split == 0 && exact->state().action != rounded->state().action)
        action_split = step;
      if (step <= config.learning_starts) continue;
      const LastUpdate a = rounded->last_update(), b = exact->last_update();
      EXPECT_EQ(a.index, b.index) << env << " step " << step;
      if (kept_split == 0 && a.kept != b.kept) kept_split = step;
    }
    std::printf("%-20s kept rows first differ at step %lld, actions at %lld\n", env,
                static_cast<long long>(kept_split), static_cast<long long>(action_split));
    EXPECT_TRUE(action_split == 0 || action_split > config.learning_starts + 10);
  }
}

}  // namespace
}  // namespace tarl::fleet
