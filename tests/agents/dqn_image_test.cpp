// SPDX-License-Identifier: MIT
#include "agents/dqn_helpers.h"

#include "tarl/nn/instruction_set.h"

namespace tarl::agents {

namespace {

// One update of all rows and one of some, on a network whose weights exceed the caches.
std::vector<float> two_updates(Team& team) {
  const rl::ObsSpec spec{rl::ObsKind::kBytes, 1, 60, 60, 1};
  const int rows = 17;
  DqnConfig config = plain_config(spec);
  config.double_q = true;
  DqnAgent agent(config, spec, five_actions(), rows, seeded(3), team);
  Rng rng = seeded(6);
  for (const int kept : {rows, 11}) {
    const rl::Batch batch = random_batch(spec, rows, rng);
    agent.assess(batch, true, rng);
    agent.update(first_rows(kept), ones(static_cast<std::size_t>(kept)), rng);
  }
  Tensors state = saved(agent);
  state.erase("optimizer.steps");
  return flat(state);
}

TEST(DqnOnImages, HasTheSameBitsForAnyTeamAndInstructionSet) {
  std::vector<float> first;
  for (const std::string& set : nn::instruction_sets()) {
    nn::use_instruction_set(set);
    for (const int threads : {1, 2, 3}) {
      Team team(threads);
      const std::vector<float> got = two_updates(team);
      if (first.empty()) first = got;
      EXPECT_TRUE(first == got) << set << ", " << threads << " threads";
    }
  }
  nn::use_instruction_set("auto");
}

}  // namespace

}  // namespace tarl::agents
