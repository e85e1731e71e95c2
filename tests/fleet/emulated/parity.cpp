// SPDX-License-Identifier: MIT
//
// The f32 kernel beside the CPU's loop.
#include "fleet/gpu/first_split.h"
#include <gtest/gtest.h>

namespace tarl::fleet {
namespace {

std::vector<std::string> brief(std::vector<std::string> set = {}) {
  set.insert(set.begin(),
             {"steps=70", "learning_starts=40", "buffer_size=50", "target_update_interval=15"});
  return set;
}

TEST(EmulatedParity, F32DrawsAndKeepsWhatTheCpuDoes) {
  const test::Case cases[] = {
      {"dqn", "minatar/breakout", {}},
      {"ta-ddqn", "minatar/seaquest", {}},
      {"dqn+per", "minatar/seaquest", {}},
      {"ta-ddqn+per", "minatar/breakout", {"replay.draw=stratified", "align.mode=scale"}},
      {"dqn+reaper", "minatar/breakout", {}},
      {"ta-ddqn+reaper", "minatar/asterix", {}},
      {"ta-dqn", "minatar/freeway", {"policy.net_arch=[64,32]", "dueling=true", "tau=0.3"}}};
  for (const test::Case& c : cases) {
    std::string what;
    double distance = 0;
    const std::int64_t split =
        test::first_split(test::short_run(c.algo, c.env, brief(c.set)), what, distance);
    EXPECT_EQ(split, 0) << test::name_of(c) << ": " << what;
    EXPECT_LT(distance, 1e-5) << test::name_of(c);
  }
}

}  // namespace
}  // namespace tarl::fleet
