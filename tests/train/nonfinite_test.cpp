// SPDX-License-Identifier: MIT
//
// A non-finite value is caught before the next optimiser step, wherever it comes from.
#include "tarl/train/nonfinite.h"

#include <cmath>
#include <limits>

#include "support/errors.h"
#include "support/temporary_folder.h"
#include "train/poisoned_env.h"
#include <gtest/gtest.h>

#include "tarl/core/formats/safetensors.h"
#include "tarl/store/checkpoint.h"
#include "tarl/train/run.h"

namespace tarl::train {

namespace {

using test::TemporaryFolder;
using Part = PoisonedEnv::Part;

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kInf = std::numeric_limits<float>::infinity();
const char* const kAlgos[] = {"dqn", "ta-ddqn+per", "ta-dqn+reaper", "sac", "ta-sac+per", "td3"};

std::string env_of(const std::string& algo) {
  return algo.find("dqn") != std::string::npos ? "classic/cartpole" : "classic/pendulum";
}

// A run of 400 steps that learns from step 51 on and saves every 50.
RunRequest small_run(const std::string& algo, const std::string& env, const fs::path& folder,
                     std::vector<std::string> more = {}) {
  std::vector<std::string> set = {"steps=400",       "learning_starts=50",  "eval.count=1",
                                  "eval.episodes=1", "buffer_size=500",     "batch_size=8",
                                  "train_freq=1",    "checkpoint.every=50", "policy.net_arch=[8]"};
  set.insert(set.end(), more.begin(), more.end());
  RunRequest request;
  request.config = resolve({.algo = algo, .env = env, .set = std::move(set)});
  request.folder = folder;
  return request;
}

std::optional<store::Loaded> newest(const fs::path& folder) {
  std::vector<std::string> problems;
  auto loaded = store::CheckpointStore(folder / "checkpoints").load_newest(problems);
  EXPECT_TRUE(problems.empty()) << problems.front();
  return loaded;
}

void expect_finite(const Tensors& tensors, const std::string& where) {
  EXPECT_EQ(test::error_of([&] { require_finite(tensors, ""); }), "") << where;
}

// Every algorithm, every part of an environment's answer, every kind of value, at 100 and more
// instants in all.
TEST(NonFinite, AnEnvironmentsAnswerStopsTheRunBeforeItIsStored) {
  int caught = 0;
  Rng rng = seeded(1);
  for (const char* algo : kAlgos) {
    for (const Part part : {Part::kReward, Part::kObservation}) {
      for (const float value : {kNan, kInf, -kInf}) {
        for (int trial = 0; trial < 3; ++trial) {
          const std::int64_t step = 1 + rng.below(390);
          add_poisoned("test/poisoned", env_of(algo), {part, value, step});
          const TemporaryFolder folder;
          const RunRequest request = small_run(algo, "test/poisoned", folder / "run");
          const std::string problem = test::error_of([&] { run_training(request); });
          ASSERT_NE(problem.find("step " + std::to_string(step) + ": "), std::string::npos)
              << algo << " at " << step << ": " << problem;
          EXPECT_NE(problem.find("nonfinite_batch.safetensors"), std::string::npos) << problem;
          const Tensors dump = load_safetensors(folder / "run/nonfinite_batch.safetensors").tensors;
          const float seen =
              part == Part::kReward
                  ? dump.at("reward").as<float>()[0]
                  : *reinterpret_cast<const float*>(dump.at("next_obs").bytes.data());
          EXPECT_FALSE(std::isfinite(seen));
          const auto saved = newest(folder / "run");
          ASSERT_EQ(saved.has_value(), step > 50) << algo << " at " << step;
          if (saved) {
            EXPECT_EQ(saved->step, (step - 1) / 50 * 50);
            expect_finite(saved->state, algo);
          }
          ++caught;
        }
      }
    }
  }
  EXPECT_GE(caught, 100);
}

TEST(NonFinite, AFirstObservationStopsTheRunInTheStepAfterIt) {
  for (const char* algo : kAlgos) {
    for (const std::int64_t step : {0, 150}) {
      add_poisoned("test/poisoned", env_of(algo), {Part::kFirstObservation, kNan, step});
      const TemporaryFolder folder;
      const RunRequest request = small_run(algo, "test/poisoned", folder / "run");
      const std::string problem = test::error_of([&] { run_training(request); });
      EXPECT_NE(problem.find("gave a first observation that is not finite"), std::string::npos)
          << algo << ": " << problem;
      EXPECT_EQ(problem.find("step 1: ") == 0, step == 0) << problem;
      const Tensors dump = load_safetensors(folder / "run/nonfinite_batch.safetensors").tensors;
      EXPECT_TRUE(std::isnan(*reinterpret_cast<const float*>(dump.at("obs").bytes.data())));
    }
  }
}

TEST(NonFinite, ARunThatSkipsEndsWithFiniteParameters) {
  for (const char* algo : kAlgos) {
    for (const Part part : {Part::kReward, Part::kObservation}) {
      add_poisoned("test/poisoned", env_of(algo), {part, kNan, 120});
      const TemporaryFolder folder;
      const RunRequest request = small_run(algo, "test/poisoned", folder / "run", {"on_nan=skip"});
      EXPECT_EQ(test::error_of([&] { run_training(request); }), "") << algo;
      expect_finite(load_safetensors(folder / "run/model.safetensors").tensors, algo);
    }
  }
}

// An agent in the middle of its learning, to be tampered with.
struct Stage {
  explicit Stage(const std::string& algo, std::vector<std::string> more = {},
                 std::int64_t steps = 100)
      : request(small_run(algo, env_of(algo), folder.path(), std::move(more))),
        logs(folder.path(), {.env_id = request.config.env}),
        loop(request.config, team, logs) {
    run_to(steps);
  }

  void run_to(std::int64_t step) {
    loop.run(
        {.stop = [this, step] { return loop.step() >= step; }, .progress = {}, .checkpoint = {}});
  }

  Tensors agent_state() {
    Tensors tensors;
    StateWriter out(tensors);
    loop.agent().save(out);
    return tensors;
  }

  // Loads the agent with one number replaced in each tensor whose name holds `name`; optimisers,
  // whose averages no run can make negative, only where they are named.
  void tamper(const std::string& name, float value, Rng& rng) {
    Tensors tensors = agent_state();
    for (auto& [key, tensor] : tensors) {
      if (key.find(name) == std::string::npos || tensor.dtype != Dtype::kF32) continue;
      if (key.starts_with("optimizer") && key != name) continue;
      auto* values = reinterpret_cast<float*>(tensor.bytes.data());
      values[rng.below(static_cast<std::uint32_t>(tensor.count()))] = value;
    }
    loop.agent().load(StateReader(tensors, "tampered"));
  }

  TemporaryFolder folder;
  RunRequest request;
  Team team{1};
  store::RunLogs logs;
  Loop loop;
};

TEST(NonFinite, ParametersAndOptimisersThatAreNotFiniteAreNotLoaded) {
  Rng rng = seeded(2);
  for (const char* algo : kAlgos) {
    for (const float value : {kNan, kInf, -kInf}) {
      Stage stage(algo);
      for (const auto& [name, tensor] : stage.agent_state()) {
        if (tensor.dtype != Dtype::kF32) continue;
        const std::string problem = test::error_of([&] { stage.tamper(name, value, rng); });
        EXPECT_NE(problem.find("not finite"), std::string::npos) << algo << " " << name;
      }
    }
  }
}

// Finite, but so large that targets, losses, gradients or the temperature overflow.
TEST(NonFinite, AnOverflowIsCaughtBeforeTheStepItWouldSpoil) {
  Rng rng = seeded(3);
  int caught = 0;
  for (const char* algo : kAlgos) {
    for (const char* name : {"weight", "bias", "target", "log_alpha"}) {
      for (const float value : {3e38F, -3e38F, 1e30F, 1e20F}) {
        Stage stage(algo);
        stage.tamper(name, value, rng);
        const std::string problem = test::error_of([&] { stage.run_to(130); });
        caught += problem.empty() ? 0 : 1;
        expect_finite(stage.agent_state(), std::string(algo) + " " + name + " " + problem);
      }
    }
  }
  EXPECT_GE(caught, 40);
}

TEST(NonFinite, AnUpdateThatIsRefusedChangesNoParameter) {
  for (const char* algo : {"dqn", "ta-ddqn+per", "sac", "ta-sac+per", "td3"}) {
    Stage stage(algo);
    Rng rng = seeded(4);
    stage.tamper("weight", 3e38F, rng);
    const Tensors before = stage.agent_state();
    ASSERT_NE(test::error_of([&] { stage.run_to(101); }), "") << algo;
    const Tensors after = stage.agent_state();
    for (const auto& [name, tensor] : before) {
      EXPECT_TRUE(after.at(name).bytes == tensor.bytes) << algo << " " << name;
    }
  }
}

// The actor's loss comes from critics that have just stepped: a step far too long into a deep
// network makes it overflow while everything before it was finite.
TEST(NonFinite, AnActorsLossThatIsNotFiniteChangesNeitherActorNorTemperatureNorCheckpoint) {
  for (const std::string algo : {"sac", "ta-sac+per", "td3", "ta-td3"}) {
    std::vector<std::string> set = {"learning_rate=1000",
                                    "policy.net_arch=[32,32,32,32,32,32,32,32,32,32,32,32]"};
    if (algo.ends_with("td3")) set.push_back("policy_delay=1");
    Stage stage(algo, set, 50);
    const Tensors before = stage.agent_state();
    const std::string problem = test::error_of([&] { stage.run_to(60); });
    ASSERT_NE(problem.find("the actor's loss is not finite"), std::string::npos) << problem;
    EXPECT_EQ(stage.loop.step(), 51) << algo;
    const Tensors after = stage.agent_state();
    for (const auto& [name, tensor] : before) {
      if (name.find("critic") != std::string::npos || name == "updates") continue;
      EXPECT_TRUE(after.at(name).bytes == tensor.bytes) << algo << " " << name;
    }
    expect_finite(after, algo);

    const TemporaryFolder folder;
    const RunRequest request = small_run(algo, env_of(algo), folder / "run", set);
    EXPECT_NE(test::error_of([&] { run_training(request); }), "") << algo;
    const auto saved = newest(folder / "run");
    ASSERT_TRUE(saved && saved->step == 50) << algo;
    for (const auto& [name, tensor] : before) {
      EXPECT_TRUE(saved->state.at("loop/agent/" + name).bytes == tensor.bytes) << name;
    }
  }
}

TEST(NonFinite, ACheckpointIsNotMadeOfAStateThatIsNotFinite) {
  Tensors tensors;
  StateWriter out(tensors);
  out.put("loop/agent/a", std::vector<float>{1, 2});
  out.put("loop/agent/b", std::vector<double>{1, std::nan("")});
  out.put("loop/replay/c", std::vector<float>{kNan});
  EXPECT_NE(test::error_of([&] { require_finite(tensors, "loop/agent/"); }).find("loop/agent/b"),
            std::string::npos);
  tensors.erase("loop/agent/b");
  EXPECT_EQ(test::error_of([&] { require_finite(tensors, "loop/agent/"); }), "");
}

}  // namespace

}  // namespace tarl::train
