// SPDX-License-Identifier: MIT
//
// What a run writes along the way: the best model, rows between evaluations, the time; and decaying
// learning rates.
#include <algorithm>
#include <cmath>
#include <sstream>

#include "support/errors.h"
#include "support/temporary_folder.h"
#include "train/small_run.h"
#include <gtest/gtest.h>

#include "tarl/core/formats/safetensors.h"
#include "tarl/store/evaluations.h"
#include "tarl/store/progress_csv.h"
#include "tarl/store/run_files.h"
#include "tarl/train/make_agent.h"
#include "tarl/train/policy.h"

namespace tarl::train {
namespace {

using test::error_of;
using test::TemporaryFolder;

using Table = std::map<std::string, std::vector<double>>;

const std::vector<std::string> kManyEvaluations = {"eval.count=8", "eval.episodes=2",
                                                   "learning_rate=0.01"};

TEST(BestModel, IsTheAgentOfTheBestEvaluation) {
  const TemporaryFolder root;
  const RunConfig config = small_run("", false, kManyEvaluations).config;
  Team team(1);
  store::RunLogs logs(root.path(), {.env_id = config.env});
  Loop loop(config, team, logs);
  std::map<std::int64_t, Tensors> best;
  loop.run({.stop = {}, .progress = {}, .checkpoint = {}, .best = [&](double) {
              best[loop.step()] = loop.agent().parameters();
            }});
  run_training(small_run(root / "run", false, kManyEvaluations));

  const auto evaluations = store::read_evaluations(root / "run/evaluations.npz");
  std::size_t at = 0;
  for (std::size_t i = 1; i < evaluations.count(); ++i) {
    if (store::mean_of(evaluations.returns_of(i)) > store::mean_of(evaluations.returns_of(at))) {
      at = i;
    }
  }
  const SafetensorsFile file = load_safetensors(root / "run" / store::kBestModelFile);
  const std::int64_t step = evaluations.timesteps[at];
  EXPECT_EQ(file.metadata.at("steps"), std::to_string(step));
  EXPECT_EQ(std::stod(file.metadata.at("mean_return")), store::mean_of(evaluations.returns_of(at)));
  ASSERT_TRUE(best.contains(step));
  EXPECT_EQ(best.rbegin()->first, step);  // nothing better came later
  for (const auto& [name, tensor] : best.at(step)) {
    EXPECT_EQ(tensor.bytes, file.tensors.at(name).bytes) << name;
  }
  Policy policy(root / "run", {}, {PolicySource::kBest});
  EXPECT_EQ(policy.metadata().at("steps"), std::to_string(step));
  EXPECT_EQ(policy.agent().parameters().at("q.out.weight").bytes,
            file.tensors.at("q.out.weight").bytes);
}

struct Kill {};

TEST(BestModel, IsTheSameFileAfterKillsAndResumes) {
  const TemporaryFolder root;
  run_training(small_run(root / "whole", false, kManyEvaluations));
  for (const std::int64_t until : {60, 220, 399}) {
    const fs::path folder = root / std::to_string(until);
    RunRequest request = small_run(folder, false, kManyEvaluations);
    request.progress = [&](const Progress& progress) {
      if (progress.step >= until) throw Kill();
    };
    EXPECT_THROW(run_training(request), Kill);
    run_training(stored_run(folder));
    EXPECT_EQ(read_text(folder / store::kBestModelFile),
              read_text(root / "whole" / store::kBestModelFile))
        << until;
  }
}

TEST(BestModel, MetadataSayHowToUseIt) {
  const TemporaryFolder root;
  run_training(small_run(root / "run"));
  const auto discrete = load_safetensors(root / "run/model.safetensors").metadata;
  EXPECT_EQ(discrete.at("algo"), "dqn");
  EXPECT_EQ(discrete.at("env"), "classic/cartpole");
  EXPECT_EQ(discrete.at("policy.net_arch"), "[8]");
  EXPECT_EQ(discrete.at("activation"), "relu");
  EXPECT_EQ(discrete.at("observation"), "floats");
  EXPECT_EQ(discrete.at("observation_shape"), "[4]");
  EXPECT_EQ(discrete.at("actions"), "2");
  EXPECT_EQ(discrete.at("dueling"), "false");
}

TEST(Policies, AreChosenByStep) {
  const TemporaryFolder root;
  stopped_run(small_run(root / "run"), 250);
  EXPECT_EQ(Policy(root / "run", {}, {PolicySource::kCheckpoint, 200}).checkpoint_step(), 200);
  const std::string missing = error_of([&] {
    Policy(root / "run", {}, {PolicySource::kCheckpoint, 7});
  });
  EXPECT_NE(missing.find("no checkpoint of step 7; it has 2"), std::string::npos) << missing;
}

TEST(LogEvery, AddsRowsAndChangesNoResult) {
  const TemporaryFolder root;
  run_training(small_run(root / "plain"));
  run_training(small_run(root / "rows", false, {"log.every=30"}));
  for (const char* file : {"model.safetensors", "best_model.safetensors", "evaluations.npz",
                           "evaluations.csv", "monitor.csv"}) {
    EXPECT_EQ(read_text(root / "plain" / file), read_text(root / "rows" / file)) << file;
  }
  const Table rows = store::read_progress(root / "rows/progress.csv");
  // Every 30 steps, and evaluations at 100, 200, 300 (a row for both) and 400.
  EXPECT_EQ(rows.at("time/total_timesteps"),
            (std::vector<double>{30, 60, 90, 100, 120, 150, 180, 200, 210, 240, 270, 300, 330, 360,
                                 390, 400}));
  EXPECT_EQ(std::count_if(rows.at("eval/mean_reward").begin(), rows.at("eval/mean_reward").end(),
                          [](double value) { return std::isfinite(value); }),
            4);
}

TEST(LogEvery, ResumesToTheBit) {
  const TemporaryFolder root;
  run_training(small_run(root / "whole", false, {"log.every=7"}));
  stopped_run(small_run(root / "cut", false, {"log.every=7"}), 150);
  run_training(stored_run(root / "cut"));
  for (const char* file : {"progress.csv", "events.out.tfevents.0.tarl"}) {
    EXPECT_EQ(read_text(root / "whole" / file), read_text(root / "cut" / file)) << file;
  }
}

std::vector<std::vector<std::string>> cells_of(const fs::path& path) {
  std::vector<std::vector<std::string>> table;
  std::istringstream lines(read_text(path));
  for (std::string line; std::getline(lines, line);) {
    std::istringstream cells(line);
    table.emplace_back();
    for (std::string cell; std::getline(cells, cell, ',');) table.back().push_back(cell);
  }
  return table;
}

TEST(Timing, GoesOnAcrossResumes) {
  const TemporaryFolder root;
  stopped_run(small_run(root / "run", false, {"log.every=50"}), 250);
  run_training(stored_run(root / "run"));
  const auto table = cells_of(root / "run" / store::kTimingFile);
  const Table rows = store::read_progress(root / "run/progress.csv");
  EXPECT_EQ(table.at(0), (std::vector<std::string>{"step", "updates", "utc", "seconds",
                                                   "steps_per_second", "updates_per_second"}));
  ASSERT_EQ(table.size(), rows.at("time/total_timesteps").size() + 1);
  double before = 0;
  for (std::size_t i = 1; i < table.size(); ++i) {
    EXPECT_EQ(std::stod(table[i].at(0)), rows.at("time/total_timesteps")[i - 1]);
    EXPECT_EQ(std::stod(table[i].at(1)), rows.at("train/n_updates")[i - 1]);
    EXPECT_GE(std::stod(table[i].at(3)), before);
    EXPECT_GT(std::stod(table[i].at(4)), 0);
    before = std::stod(table[i].at(3));
  }
}

TEST(TargetLag, OfSoftTargetsIsTheMeanAgeOfWhatTheyAreMixedFrom) {
  const TemporaryFolder root;
  RunRequest request = small_run(root / "run");
  request.config =
      resolve({.algo = "ta-td3",
               .env = "classic/pendulum",
               .set = {"steps=300", "learning_starts=50", "batch_size=4", "policy.net_arch=[8]",
                       "eval.count=3", "eval.episodes=1", "tau=0.25", "log.every=1"}});
  run_training(request);
  const auto lag = store::read_progress(root / "run/progress.csv").at("tarl/target_lag");
  // 1, then 1 + 0.75 of the one before.
  EXPECT_DOUBLE_EQ(lag.at(50), 1);
  EXPECT_DOUBLE_EQ(lag.at(51), 1.75);
  EXPECT_DOUBLE_EQ(lag.at(52), 1 + 0.75 * 1.75);
  // 1 / tau; the last row is an evaluation that follows another row without an update between.
  EXPECT_NEAR(lag.at(lag.size() - 2), 4, 1e-9);
}

TEST(LearningRateSchedule, HasTheSpellingOfStableBaselines) {
  const auto config = [](const std::string& text) {
    return resolve({.algo = "sac", .env = "classic/pendulum", .set = {"learning_rate=" + text}});
  };
  EXPECT_EQ(config("lin_1e-3").learning_rate(), 1e-3);
  EXPECT_EQ(config("lin_1e-3").learning_rate_schedule, Schedule::kLinear);
  EXPECT_EQ(config("1e-3").learning_rate_schedule, Schedule::kConstant);
  EXPECT_NE(error_of([&] { config("lin_fast"); }).find("learning_rate"), std::string::npos);
  const RunConfig read = config_from_toml(
      "algo = \"dqn\"\nenv = \"classic/cartpole\"\n"
      "learning_rate = \"lin_0.5\"\n",
      "file");
  EXPECT_EQ(read.learning_rate(), 0.5);
  EXPECT_EQ(read.learning_rate_schedule, Schedule::kLinear);
}

// One update at half of the rate is one update with half the rate.
TEST(LearningRateSchedule, ScalesEveryOptimiserOfEveryAgent) {
  for (const char* algo : {"dqn", "sac", "td3"}) {
    const bool dqn = std::string(algo) == "dqn";
    const auto updated = [&](const char* rate, double share) {
      const RunConfig config =
          resolve({.algo = algo,
                   .env = dqn ? "classic/cartpole" : "classic/pendulum",
                   .set = {std::string("learning_rate=") + rate, "policy.net_arch=[8]",
                           "batch_size=4", dqn ? "optimizer=adam" : "gradient_steps=1"}});
      const rl::EnvSpec spec = envs::registry().find(config.env).describe();
      Team team(1);
      const auto agent = make_agent(config, spec, seeded(3), team);
      rl::Batch batch(spec.obs, spec.action, 4);
      batch.rows = 4;
      std::fill(batch.obs.begin(), batch.obs.end(), std::byte{0x3e});
      std::fill(batch.reward.begin(), batch.reward.end(), 1.0F);
      const std::int32_t kept[] = {0, 1, 2, 3};
      const float weight[] = {1, 1, 1, 1};
      Rng rng = seeded(4);
      if (share != 1) agent->set_rate_share(share);
      for (int i = 0; i < 2; ++i) {  // TD3's actor learns every second time
        agent->assess(batch, true, rng);
        agent->update(kept, weight, rng);
      }
      return agent->parameters();
    };
    const Tensors half = updated("0.02", 0.5), small = updated("0.01", 1),
                  full = updated("0.02", 1);
    for (const auto& [name, tensor] : half) EXPECT_EQ(tensor.bytes, small.at(name).bytes) << name;
    int moved = 0;
    for (const auto& [name, tensor] : half) moved += tensor.bytes != full.at(name).bytes ? 1 : 0;
    EXPECT_GT(moved, 1) << algo;
  }
}

TEST(LearningRateSchedule, FallsToZeroIsLoggedAndResumesToTheBit) {
  const TemporaryFolder root;
  const std::vector<std::string> set = {"learning_rate=lin_0.01", "log.every=100"};
  run_training(small_run(root / "whole", false, set));
  stopped_run(small_run(root / "cut", false, set), 150);
  run_training(stored_run(root / "cut"));
  run_training(small_run(root / "constant", false, {"learning_rate=0.01", "log.every=100"}));
  for (const char* file : {"model.safetensors", "progress.csv", "evaluations.npz"}) {
    EXPECT_EQ(read_text(root / "whole" / file), read_text(root / "cut" / file)) << file;
  }
  EXPECT_NE(load_safetensors(root / "whole/model.safetensors").tensors.at("q.out.bias").bytes,
            load_safetensors(root / "constant/model.safetensors").tensors.at("q.out.bias").bytes);
  const Table rows = store::read_progress(root / "whole/progress.csv");
  EXPECT_EQ(rows.at("train/learning_rate"), (std::vector<double>{0.0075, 0.005, 0.0025, 0}));
  EXPECT_FALSE(
      store::read_progress(root / "constant/progress.csv").contains("train/learning_rate"));
}

}  // namespace
}  // namespace tarl::train
