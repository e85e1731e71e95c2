// SPDX-License-Identifier: MIT
#include <map>

#include "support/errors.h"
#include <gtest/gtest.h>

#include "tarl/fleet/device_run.h"

namespace tarl::fleet {
namespace {

constexpr Capability kPascal{6, 1}, kTuring{7, 5}, kAmpere{8, 0}, kGeForce30{8, 6}, kAda{8, 9},
    kHopper{9, 0}, kBlackwell{10, 0}, kGeForce50{12, 0};

std::map<std::string, bool> runs_on(const Capability& card) {
  std::map<std::string, bool> runs;
  for (const DeviceProgram& program : programs()) {
    runs[program.name] = why_not_on(card, program).empty();
  }
  return runs;
}

DeviceInfo machine_with(const Capability& card) {
  return {.built = true, .found = runs_any_program(card), .text = "a card", .capability = card};
}

TEST(Cards, SinceOneOrThatOneAlone) {
  const Cards since{{8, 0}, true}, alone{{9, 0}, false};
  for (const Capability& card : {kAmpere, kGeForce30, kAda, kHopper, kBlackwell, kGeForce50}) {
    EXPECT_TRUE(since.include(card)) << card.text();
    EXPECT_EQ(alone.include(card), card == kHopper) << card.text();
  }
  for (const Capability& card : {kPascal, kTuring}) {
    EXPECT_FALSE(since.include(card)) << card.text();
    EXPECT_FALSE(alone.include(card)) << card.text();
  }
  EXPECT_EQ(since.text(), "compute capability 8.0 or later");
  EXPECT_EQ(alone.text(), "compute capability 9.0");
}

TEST(Cards, EveryProgramSaysWhatItNeeds) {
  for (const Capability& card : {kAmpere, kGeForce30, kAda, kBlackwell, kGeForce50}) {
    EXPECT_TRUE(runs_on(card).at("actor_critic")) << card.text();
    EXPECT_FALSE(runs_on(card).at("minatar_dqn")) << card.text();
    EXPECT_TRUE(runs_any_program(card)) << card.text();
  }
  for (const auto& [name, runs] : runs_on(kHopper)) EXPECT_TRUE(runs) << name;
  for (const Capability& card : {kPascal, kTuring}) {
    for (const auto& [name, runs] : runs_on(card)) EXPECT_FALSE(runs) << name;
    EXPECT_FALSE(runs_any_program(card)) << card.text();
  }
}

TEST(Cards, ARunIsRefusedByItsProgramsName) {
  const auto game = train::resolve({.algo = "dqn", .env = "minatar/breakout"});
  const auto control = train::resolve({.algo = "sac", .env = "classic/pendulum"});
  EXPECT_EQ(why_not_here(game, machine_with(kHopper)), "");
  EXPECT_EQ(why_not_here(control, machine_with(kGeForce30)), "");
  EXPECT_EQ(why_not_here(game, machine_with(kGeForce30)),
            "minatar_dqn needs compute capability 9.0, and this card has 8.6");
  EXPECT_EQ(why_not_here(control, {.text = "not in this build"}), "CUDA is not in this build");
  DeviceInfo old = machine_with(kTuring);
  EXPECT_EQ(why_not_here(control, old), "CUDA is a card");
}

}  // namespace
}  // namespace tarl::fleet
