// SPDX-License-Identifier: MIT
//
// No accepted setting on its own takes an update to non-finite values.
#include <cmath>

#include "support/errors.h"
#include <gtest/gtest.h>

#include "tarl/replay/config.h"
#include "tarl/train/learner.h"
#include "tarl/train/make_agent.h"
#include "tarl/train/nonfinite.h"

namespace tarl::train {
namespace {

void fill(rl::Environment& env, rl::Replay& replay, Rng rng) {
  std::vector<std::byte> obs(env.spec().obs.bytes()), next(obs.size());
  env.reset(obs);
  for (int i = 0; i < 64; ++i) {
    rl::Action action;
    action.index = static_cast<std::int32_t>(rng.below(2));
    action.values[0] = static_cast<float>(2 * rng.uniform() - 1);
    const rl::StepResult result = env.step(action, next);
    replay.add({.obs = obs,
                .action = action,
                .reward = result.reward,
                .terminated = result.terminated,
                .truncated = result.truncated,
                .next_obs = next});
    obs = next;
    if (result.done()) env.reset(obs);
  }
}

// What is non-finite after an update, and in the parameters alone after three; empty if nothing is.
// Later updates may meet a NaN or Inf, but must not produce one.
std::string fault_of(const RunConfig& config) {
  Team team(1);
  const Rng root = seeded(3);
  const auto env = envs::registry().make(config.env, root.fork("env"));
  const auto agent = make_agent(config, env->spec(), root, team);
  const auto replay = replay::make_replay(config.replay, env->spec().obs, env->spec().action, 100,
                                          1, 1, config.gamma);
  Learner learner(config, *agent, *replay, env->spec(), root);
  fill(*env, *replay, root.fork("play"));
  Means means;
  return test::error_of([&] {
    learner.step(0.5, means);
    learner.sync_target(config.tau);
    Tensors state;
    StateWriter out(state);
    agent->save(out);
    require_finite(state, "");
    for (int i = 0; i < 2; ++i) test::error_of([&] { learner.step(0.5, means); });
    require_finite(agent->parameters(), "");
  });
}

struct Subject {
  const char *algo, *env;
  std::vector<std::string> set;
};

std::vector<Subject> subjects() {
  return {{"dqn", "classic/cartpole", {"optimizer=adam"}},
          {"dqn", "classic/cartpole", {"optimizer=rmsprop", "loss=mse"}},
          {"dqn", "classic/cartpole", {"rmsprop.centered=true", "dueling=true"}},
          {"ta-ddqn+per", "classic/cartpole", {"align.mode=weight"}},
          {"dqn+reaper", "classic/cartpole", {"align.mode=scale"}},
          {"ta-sac+per", "classic/pendulum", {}},
          {"td3", "classic/pendulum", {}},
          {"ddpg", "classic/pendulum", {}}};
}

RunConfig resolved(const Subject& subject, const std::string& more) {
  std::vector<std::string> set = subject.set;
  set.insert(set.end(), {"batch_size=16", "policy.net_arch=[8,8]", more});
  return resolve({.algo = subject.algo, .env = subject.env, .set = set});
}

TEST(Bounds, NumbersAtTheirBoundsLeaveAnUpdateFinite) {
  for (const Subject& subject : subjects()) {
    RunConfig usual = resolved(subject, "seed=1");
    for (const Field& field : fields(usual)) {
      if (!std::holds_alternative<double*>(field.value)) continue;
      for (const double bound : {field.low, field.high, std::nextafter(field.low, 1)}) {
        Field copy = field;
        double value = bound;
        copy.value = &value;
        const std::string setting = field.name + "=" + copy.to_toml();
        EXPECT_EQ(fault_of(resolved(subject, setting)), "") << subject.algo << " " << setting;
      }
    }
  }
}

// Of a rule that margins at their bounds do without.
TEST(Bounds, TheShareOfTerminalsAtItsBoundsLeavesAnUpdateFinite) {
  const Subject subject{"ta-dqn+per", "classic/cartpole", {"align.terminals=match"}};
  for (const char* share : {"score", "0", "1e-300", "1"}) {
    const std::string setting = std::string("align.terminal_share=") + share;
    EXPECT_EQ(fault_of(resolved(subject, setting)), "") << setting;
  }
}

TEST(Bounds, TheTemperatureAtItsBoundsLeavesAnUpdateFinite) {
  for (const char* setting :
       {"ent_coef=1e6", "ent_coef=1e-300", "ent_coef=auto_1e6", "ent_coef=auto_1e-300",
        "target_entropy=1e6", "target_entropy=-1e6"}) {
    EXPECT_EQ(fault_of(resolved({"ta-sac", "classic/pendulum", {}}, setting)), "") << setting;
  }
}

TEST(Bounds, WhatAnOptimiserCannotDivideByIsRefused) {
  for (const char* setting : {"adam.beta1=1", "adam.beta2=1", "adam.beta1=0.99999999999999999",
                              "adam.eps=0", "adam.eps=1e-31", "adam.eps=1e-300", "rmsprop.alpha=1",
                              "rmsprop.eps=1e-300", "learning_rate=0"}) {
    EXPECT_THROW(resolved({"dqn", "classic/cartpole", {"optimizer=adam"}}, setting), UsageError)
        << setting;
  }
  for (const char* setting : {"ent_coef=1e300", "ent_coef=auto_1e7", "target_entropy=1e300"}) {
    EXPECT_THROW(fault_of(resolved({"sac", "classic/pendulum", {}}, setting)), UsageError)
        << setting;
  }
}

TEST(Bounds, ALayerHasAtLeastTwoOutputs) {
  for (const Subject& subject : subjects()) {
    for (const char* widths : {"policy.net_arch=[1]", "policy.net_arch=[16,1,16]"}) {
      EXPECT_THROW(resolved(subject, widths), UsageError) << subject.algo << " " << widths;
    }
    EXPECT_EQ(fault_of(resolved(subject, "policy.net_arch=[2]")), "") << subject.algo;
  }
}

TEST(Bounds, OfNegativeNumbersOnlyTheOneThatMeansTheDefaultIsAccepted) {
  const Subject subject{"dqn+per", "classic/cartpole", {}};
  for (const char* key : {"environment.sticky_actions", "replay.alpha"}) {
    for (const char* good : {"-1", "0", "0.5", "1"}) {
      EXPECT_NO_THROW(resolved(subject, std::string(key) + "=" + good)) << key << " " << good;
    }
    for (const char* bad : {"-0.5", "-2", "-1.0000001", "-0.999", "3"}) {
      EXPECT_THROW(resolved(subject, std::string(key) + "=" + bad), UsageError)
          << key << " " << bad;
    }
    EXPECT_NE(test::error_of([&] { resolved(subject, std::string(key) + "=-0.5"); }).find("or -1"),
              std::string::npos);
  }
}

}  // namespace
}  // namespace tarl::train
