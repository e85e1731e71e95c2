// SPDX-License-Identifier: MIT
#include "tarl/train/normalizing_agent.h"

#include <cstring>
#include <limits>

#include "support/errors.h"
#include "support/temporary_folder.h"
#include "train/small_run.h"
#include <gtest/gtest.h>

#include "tarl/core/formats/safetensors.h"
#include "tarl/store/progress_csv.h"
#include "tarl/train/make_agent.h"
#include "tarl/train/policy.h"

namespace tarl::train {
namespace {

using test::error_of;
using test::TemporaryFolder;

std::vector<std::byte> bytes_of(const std::vector<float>& values) {
  std::vector<std::byte> bytes(values.size() * sizeof(float));
  std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

// The numbers in this file come from Stable-Baselines3's formulas, computed separately in doubles.
TEST(RunningMoments, AreThoseOfRunningMeanStd) {
  RunningMoments moments(2);
  moments.add(std::vector<double>{1, -2, 3, 0.5});
  moments.add(std::vector<double>{0.25, 4, -1, 2});
  moments.add(std::vector<double>{10, 10, -7, 3});
  EXPECT_NEAR(moments.mean()[0], 1.0416493058449023, 1e-14);
  EXPECT_NEAR(moments.mean()[1], 2.9166180563657274, 1e-14);
  EXPECT_NEAR(moments.var()[0], 25.591622112709683, 1e-13);
  EXPECT_NEAR(moments.var()[1], 13.701318980283627, 1e-13);
  EXPECT_DOUBLE_EQ(moments.count(), 6.0001);
}

RunConfig cartpole(const std::vector<std::string>& more = {}) {
  std::vector<std::string> set = {"policy.net_arch=[8]", "batch_size=2", "n_envs=2"};
  set.insert(set.end(), more.begin(), more.end());
  return resolve({.algo = "dqn", .env = "classic/cartpole", .set = set});
}

rl::Batch two_rows(const rl::EnvSpec& spec, const std::vector<float>& obs, float reward) {
  rl::Batch batch(spec.obs, spec.action, 2);
  batch.rows = 2;
  for (std::size_t row = 0; row < 2; ++row) {
    const auto bytes = bytes_of(obs);
    std::memcpy(batch.obs.data() + row * bytes.size(), bytes.data(), bytes.size());
    std::memcpy(batch.next_obs.data() + row * bytes.size(), bytes.data(), bytes.size());
    batch.reward[row] = reward;
    batch.discount[row] = 0.5F;
  }
  return batch;
}

// Two agents with the same parameters: one gets the environment's output, the other what
// VecNormalize makes of it.
TEST(RunningMoments, ThatCannotHaveBeenSavedAreRefused) {
  RunningMoments moments(2);
  moments.add(std::vector<double>{1, 2, 3, 4});
  Tensors good;
  StateWriter writer(good);
  moments.save("normalize.obs", writer);
  RunningMoments(2).load("normalize.obs", StateReader(good, "here"));
  const std::vector<std::pair<const char*, double>> damage = {
      {"_mean", std::numeric_limits<double>::quiet_NaN()},
      {"_var", -1.0},
      {"_var", std::numeric_limits<double>::infinity()},
      {"_count", -1.0}};
  for (const auto& [part, value] : damage) {
    Tensors bad = good;
    std::memcpy(bad.at(std::string("normalize.obs") + part).bytes.data(), &value, sizeof value);
    RunningMoments loaded(2);
    EXPECT_THROW(loaded.load("normalize.obs", StateReader(bad, "here")), Error) << part;
  }
}

TEST(NormalizingAgent, ShowsItsAgentWhatVecNormalizeWould) {
  Team team(1);
  const RunConfig plain = cartpole();
  const RunConfig config =
      cartpole({"normalize.obs=true", "normalize.reward=true", "normalize.clip_obs=3",
                "normalize.clip_reward=5", "normalize.gamma=0.9"});
  const rl::EnvSpec spec = envs::registry().find(config.env).describe();
  const auto agent = make_agent(config, spec, seeded(1), team);
  const auto inner = make_agent(plain, spec, seeded(1), team);
  agent->observe(bytes_of({.1F, .2F, .3F, .4F, 0, 1, -1, 2}), {}, {});
  const bool first_over[] = {false, true}, none_over[] = {false, false};
  agent->observe(bytes_of({.5F, -.2F, .1F, 1, 3, 1, 0, -2}), std::vector<float>{1, -.5F},
                 first_over);
  agent->observe(bytes_of({1, 1, 1, 1, -1, 0, 2, 0}), std::vector<float>{2, .25F}, none_over);

  const std::vector<float> raw = {.3F, -4, 2, .5F};
  const std::vector<float> normal = {-0.24359145760536194F, -3, 1.728679895401001F,
                                     0.0807628333568573F};
  for (const auto& [reward, scaled] : {std::pair{.5F, 0.3955351412296295F}, {-8.0F, -5.0F}}) {
    Rng rng = seeded(2);
    const rl::Batch given = two_rows(spec, raw, reward), expected = two_rows(spec, normal, scaled);
    const rl::Assessment& mine = agent->assess(given, true, rng);
    const rl::Assessment& other = inner->assess(expected, true, rng);
    for (std::size_t row = 0; row < 2; ++row) {
      EXPECT_FLOAT_EQ(mine.q[row], other.q[row]);
      EXPECT_FLOAT_EQ(mine.y_offline[row], other.y_offline[row]);
      EXPECT_FLOAT_EQ(mine.y_online[row], other.y_online[row]);
    }
    EXPECT_EQ(given.reward[0], reward);  // what replay holds stays as it is
  }
}

TEST(NormalizingAgent, IsPartOfTheModelAndStandsStillInEvaluation) {
  const TemporaryFolder root;
  const std::vector<std::string> on = {"normalize.obs=true", "normalize.reward=true"};
  RunRequest request = small_run(root / "run", false, on);
  run_training(request);
  request = small_run(root / "seldom", false,
                      {"normalize.obs=true", "normalize.reward=true", "eval.count=1"});
  run_training(request);
  const SafetensorsFile model = load_safetensors(root / "run/model.safetensors");
  const auto count = model.tensors.at("normalize.obs_count").as<double>()[0];
  EXPECT_DOUBLE_EQ(count, 1e-4 + kSmallRunSteps + 1);  // and the first observation
  EXPECT_EQ(model.metadata.at("normalize.clip_obs"), "10.0");
  EXPECT_EQ(model.tensors.at("normalize.obs_mean").shape, std::vector<std::int64_t>{4});
  const SafetensorsFile seldom = load_safetensors(root / "seldom/model.safetensors");
  for (const auto& [name, tensor] : model.tensors) {
    EXPECT_EQ(tensor.bytes, seldom.tensors.at(name).bytes) << name;
  }
  run_training(small_run(root / "plain"));
  EXPECT_NE(load_safetensors(root / "plain/model.safetensors").tensors.at("q.out.bias").bytes,
            model.tensors.at("q.out.bias").bytes);
  Policy policy(root / "run");  // with the moments of the file
  EXPECT_EQ(policy.agent().parameters().at("normalize.obs_var").bytes,
            model.tensors.at("normalize.obs_var").bytes);
}

TEST(NormalizingAgent, ResumesToTheBit) {
  const TemporaryFolder root;
  const std::vector<std::string> set = {"normalize.obs=true", "normalize.reward=true", "n_envs=2"};
  run_training(small_run(root / "whole", false, set));
  for (const std::int64_t until : {100, 250}) {
    const fs::path folder = root / ("cut" + std::to_string(until));
    stopped_run(small_run(folder, false, set), until);
    run_training(stored_run(folder));
    for (const char* file : {"model.safetensors", "evaluations.npz", "progress.csv"}) {
      EXPECT_EQ(read_text(root / "whole" / file), read_text(folder / file)) << file << until;
    }
  }
}

TEST(NormalizingAgent, IsRefusedWhereItHasNoMeaning) {
  Team team(1);
  const auto refusal = [&](const RunConfig& config) {
    const rl::EnvSpec spec = envs::registry().find(config.env).describe();
    return error_of([&] { make_agent(config, spec, seeded(1), team); });
  };
  const RunConfig bits =
      resolve({.algo = "dqn", .env = "minatar/breakout", .set = {"normalize.reward=true"}});
  EXPECT_NE(refusal(bits).find("observations that are vectors"), std::string::npos);
  const RunConfig steps = cartpole({"normalize.reward=true", "n_steps=3"});
  EXPECT_NE(refusal(steps).find("n_steps = 1"), std::string::npos);
}

}  // namespace
}  // namespace tarl::train
