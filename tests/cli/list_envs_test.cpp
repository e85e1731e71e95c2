// SPDX-License-Identifier: MIT
#include "tarl/cli/list_envs.h"

#include <regex>

#include "support/errors.h"
#include <gtest/gtest.h>

namespace tarl::cli {

namespace {

envs::Registry small_registry() {
  envs::Registry registry;
  envs::add_classic(registry);
  envs::add_minatar(registry);
  registry.note_missing("mujoco/", {"run 'make setup build'", {"Hopper-v4"}});
  return registry;
}

bool has_row(const std::string& table, const std::string& pattern) {
  return std::regex_search(table, std::regex("(^|\n)" + pattern + "\n"));
}

TEST(ListEnvs, ShowsSizesAndOtherNames) {
  const std::string table = env_table(small_registry(), "");
  EXPECT_TRUE(has_row(table, "classic/cartpole +4 numbers +2 +CartPole-v1")) << table;
  EXPECT_TRUE(has_row(table, "classic/pendulum +3 numbers +1 in \\+-2 +Pendulum-v1")) << table;
  EXPECT_TRUE(has_row(table, "minatar/breakout +10x10x4 bits +3 +MinAtar/Breakout-v1, .*"))
      << table;
  EXPECT_TRUE(has_row(table, "mujoco/...  \\(run 'make setup build'\\)")) << table;
}

TEST(ListEnvs, AFilterIsPartOfAnyNameInAnyCase) {
  EXPECT_EQ(env_table(small_registry(), "CARTPOLE"),
            "name              observation  actions  also called\n"
            "classic/cartpole  4 numbers    2        CartPole-v1\n");
  EXPECT_EQ(env_table(small_registry(), "hopper"), "mujoco/...  (run 'make setup build')\n");
}

TEST(ListEnvs, AFilterThatFindsNothingSaysSo) {
  const std::string said = test::error_of([] { env_table(small_registry(), "cartpolle"); });
  EXPECT_EQ(said, "no environment has 'cartpolle' in its name (tarl list envs shows all)");
}

}  // namespace

}  // namespace tarl::cli
