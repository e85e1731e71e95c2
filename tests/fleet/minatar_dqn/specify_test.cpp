// SPDX-License-Identifier: MIT
#include "tarl/fleet/minatar_dqn/specify.h"

#include <gtest/gtest.h>

#include "tarl/align/score_registry.h"

namespace tarl::fleet {
namespace {

std::string reason(const std::string& algo, const std::string& env,
                   std::vector<std::string> set = {}) {
  return why_not_minatar_dqn(train::resolve({.algo = algo, .env = env, .set = std::move(set)}));
}

TEST(Specify, TheStudiesOfThePaperCanBeRun) {
  for (const char* algo : {"dqn", "ta-dqn", "ta-ddqn", "dqn+per", "ta-dqn+reaper"}) {
    EXPECT_EQ(reason(algo, "minatar/asterix"), "");
    EXPECT_EQ(reason(algo, "minatar/seaquest", {"fleet.precision=fp16"}), "");
  }
  EXPECT_EQ(reason("ta-dqn", "minatar/freeway", {"align.margin=3", "fleet.precision=fp16"}), "");
  EXPECT_EQ(reason("dqn", "minatar/seaquest", {"batch_size=64", "fleet.precision=fp16"}), "");
  EXPECT_EQ(reason("dqn", "minatar/breakout", {"policy.net_arch=[512,64,64]"}), "");
  EXPECT_EQ(
      reason("dqn", "minatar/breakout", {"policy.net_arch=[512,64,64]", "fleet.precision=tf32"}),
      "");
}

TEST(Specify, WhatAFleetCannotRunIsRefusedByName) {
  EXPECT_NE(reason("dqn", "classic/cartpole").find("MinAtar"), std::string::npos);
  EXPECT_NE(reason("sac", "classic/pendulum").find("dqn"), std::string::npos);
  EXPECT_NE(reason("dqn", "minatar/breakout", {"n_envs=2"}).find("n_envs"), std::string::npos);
  EXPECT_NE(reason("dqn", "minatar/breakout", {"n_steps=3"}).find("n_steps"), std::string::npos);
  for (const char* setting : {"learning_rate=lin_1e-3", "normalize.obs=true", "log.every=100"}) {
    const std::string name(setting, std::string_view(setting).find('='));
    EXPECT_NE(reason("dqn", "minatar/breakout", {setting}).find(name), std::string::npos)
        << setting;
  }
  EXPECT_NE(reason("dqn", "minatar/breakout", {"batch_size=300"}).find("256"), std::string::npos);
}

TEST(Specify, EveryUseOfScoresCanBeRun) {
  for (const char* mode : {"filter", "weight", "scale", "prioritize"}) {
    const std::vector<std::string> set = {std::string("align.mode=") + mode,
                                          "fleet.precision=fp16"};
    EXPECT_EQ(reason("ta-dqn", "minatar/breakout", set), "") << mode;
  }
  const AgentSpec spec =
      make_spec(train::resolve({.algo = "dqn",
                                .env = "minatar/breakout",
                                .set = {"align.mode=prioritize", "align.kappa=2"}}));
  EXPECT_EQ(spec.replay, ReplayKind::kAlignment);
  EXPECT_EQ(spec.priority_alpha, 2);
  EXPECT_EQ(spec.candidates, spec.batch);
}

TEST(Specify, BuiltInScoresAndRulesForTerminalsCanBeRun) {
  for (const char* set :
       {"align.score=direction", "align.score=error", "align.score=random", "align.score=worst",
        "align.score=fresh", "align.score=signal", "align.score=above", "align.score=below",
        "align.terminals=exempt", "align.terminals=match"}) {
    EXPECT_EQ(reason("ta-dqn", "minatar/breakout", {set, "fleet.precision=fp16"}), "") << set;
  }
  align::score_registry().add("test-own", "", [](const align::Candidate&) { return 1.0; });
  EXPECT_NE(reason("ta-dqn", "minatar/breakout", {"align.score=test-own"}).find("test-own"),
            std::string::npos);
}

TEST(Specify, OnlyUpdatesThatUseScoresReplaceThem) {
  const auto spec = [](const char* algo, std::vector<std::string> set) {
    return make_spec(
        train::resolve({.algo = algo, .env = "minatar/breakout", .set = std::move(set)}));
  };
  EXPECT_EQ(spec("ta-dqn", {}).score, align::ScoreKind::kPaper);
  EXPECT_EQ(spec("ta-dqn", {"align.score=random"}).score, align::ScoreKind::kRandom);
  EXPECT_EQ(spec("dqn", {"align.score=random", "align.log=true"}).score, align::ScoreKind::kPaper);
  const AgentSpec matched = spec("ta-dqn", {"align.terminals=match", "align.terminal_share=0.25"});
  EXPECT_EQ(matched.terminals, align::Terminals::kMatch);
  EXPECT_EQ(matched.terminal_share, 0.25);
  EXPECT_EQ(spec("ta-dqn", {"align.terminals=match"}).terminal_share, kShareOfScore);
}

TEST(Specify, Fp16IsRefusedWhereItsKernelDoesNotFit) {
  const std::string fp16 = "fleet.precision=fp16";
  for (const char* batch : {"batch_size=16", "batch_size=48", "batch_size=128"}) {
    EXPECT_NE(reason("dqn", "minatar/breakout", {fp16, batch}).find("32 or 64"), std::string::npos);
  }
  EXPECT_NE(reason("dqn", "minatar/breakout", {fp16, "optimizer=adam"}).find("RMSprop"),
            std::string::npos);
  EXPECT_NE(reason("dqn", "minatar/breakout", {fp16, "policy.net_arch=[64]"}).find("128"),
            std::string::npos);
  EXPECT_NE(reason("ta-dqn", "minatar/seaquest", {fp16, "align.margin=3"}).find("64"),
            std::string::npos);
  EXPECT_NE(reason("ta-dqn", "minatar/breakout", {fp16, "batch_size=64", "align.margin=3"})
                .find("128 candidates"),
            std::string::npos);
}

TEST(Specify, OnlyUniformReplayIsSharedByBlocksHoweverItIsAskedFor) {
  const std::string fp16 = "fleet.precision=fp16", blocks = "fleet.blocks=2";
  EXPECT_EQ(reason("dqn", "minatar/breakout", {fp16, blocks}), "");
  EXPECT_EQ(reason("dqn+per", "minatar/breakout", {fp16, blocks, "replay.kind=uniform"}), "");
  for (const char* kind : {"per", "reaper"}) {
    const std::string algo = std::string("dqn+") + kind, set = std::string("replay.kind=") + kind;
    EXPECT_NE(reason(algo, "minatar/breakout", {fp16, blocks}).find("uniform replay"),
              std::string::npos)
        << algo;
    EXPECT_NE(reason("dqn", "minatar/breakout", {fp16, blocks, set}).find("uniform replay"),
              std::string::npos)
        << set;
  }
}

TEST(Specify, LayersFollowOneAnother) {
  const AgentSpec spec = make_spec(train::resolve(
      {.algo = "dqn", .env = "minatar/freeway", .set = {"policy.net_arch=[512,64]"}}));
  EXPECT_EQ(spec.net.conv_bias, 9 * 7 * 16);
  EXPECT_EQ(spec.net.layers, 3);
  EXPECT_EQ(spec.net.layer[0].weight, spec.net.conv_bias + 16);
  EXPECT_EQ(spec.net.layer[1].weight, spec.net.layer[0].bias + 512);
  EXPECT_EQ(spec.net.layer[2].out, 3);
  EXPECT_EQ(spec.net.size, spec.net.layer[2].bias + 3);
}

}  // namespace
}  // namespace tarl::fleet
