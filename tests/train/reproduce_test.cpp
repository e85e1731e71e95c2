// SPDX-License-Identifier: MIT
#include "tarl/train/reproduce.h"

#include <sstream>

#include <gtest/gtest.h>

namespace tarl::train {
namespace {

// The config that `tarl train` makes from the command, after the shell has removed the quotes.
RunConfig typed(const std::string& command) {
  std::istringstream words(command);
  ConfigRequest request;
  std::string word, value;
  words >> word >> value;
  EXPECT_EQ(word + " " + value, "tarl train");
  while (words >> word >> value) {
    std::erase(value, '\'');
    if (word == "--algo") request.algo = value;
    if (word == "--env") request.env = value;
    if (word == "--seed") request.seed = value;
    if (word == "--steps") request.steps = value;
    if (word == "--set") request.set.push_back(value);
  }
  return resolve(request);
}

TEST(Reproduce, TheCommandHasTheSameSettings) {
  const std::vector<ConfigRequest> requests = {
      {.algo = "dqn", .env = "minatar/breakout"},
      {.algo = "ta-ddqn+per", .env = "minatar/asterix", .preset = "paper-listing", .margin = "2.5"},
      {.algo = "dqn+reaper",
       .env = "classic/cartpole",
       .preset = "classic",
       .seed = "3",
       .steps = "3000",
       .set = {"policy.net_arch=[8,4]", "replay.alpha=0.3", "align.mode=weight", "on_nan=skip"}},
      {.algo = "ta-sac", .env = "classic/pendulum", .set = {"ent_coef=0.2", "n_envs=3"}},
      {.algo = "td3",
       .env = "classic/pendulum",
       .steps = "2000",
       .set = {"extended.from=[1000]", "extended.at=[500]", "eval.count=8"}}};
  for (const ConfigRequest& request : requests) {
    const RunConfig config = resolve(request);
    const std::string command = reproducing_command(config, "tarl");
    EXPECT_EQ(differences(config, typed(command)), std::vector<std::string>{}) << command;
  }
}

TEST(Reproduce, NamesNothingThatIsChosenAnyway) {
  EXPECT_EQ(
      reproducing_command(resolve({.algo = "dqn", .env = "CartPole-v1", .steps = "2e4"}), "x"),
      "x train --algo dqn --env classic/cartpole --seed 0 --steps 20000");
}

}  // namespace
}  // namespace tarl::train
