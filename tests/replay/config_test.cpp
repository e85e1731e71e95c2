// SPDX-License-Identifier: MIT
#include "tarl/replay/config.h"

#include <chrono>
#include <cmath>

#include "replay/random_play.h"
#include <gtest/gtest.h>

#include "tarl/replay/prioritized.h"
#include "tarl/replay/proportional.h"
#include "tarl/replay/reaper.h"

namespace {

using namespace replay_test;
using tarl::replay::make_replay;
using tarl::replay::ReplayConfig;
namespace rl = tarl::rl;

const rl::ObsSpec kObs = bits(4, 10);
const rl::ActionSpec kAction = discrete(5);

ReplayConfig of_kind(const std::string& kind, const std::string& draw = "independent") {
  ReplayConfig config;
  config.kind = kind;
  config.draw = draw;
  return config;
}

std::vector<ReplayConfig> all_kinds() {
  return {of_kind("uniform"),
          of_kind("per"),
          of_kind("per", "stratified"),
          of_kind("reaper"),
          of_kind("reaper", "stratified"),
          of_kind("alignment")};
}

rl::Sample sample_for(int rows) {
  rl::Sample sample;
  sample.batch = rl::Batch(kObs, kAction, rows);
  return sample;
}

void expect_equal(const rl::Sample& a, const rl::Sample& b) {
  ASSERT_EQ(a.index, b.index);
  ASSERT_EQ(a.weight, b.weight);
  ASSERT_EQ(a.batch.obs, b.batch.obs);
  ASSERT_EQ(a.batch.next_obs, b.batch.next_obs);
  ASSERT_EQ(a.batch.action_index, b.batch.action_index);
  ASSERT_EQ(a.batch.reward, b.batch.reward);
  ASSERT_EQ(a.batch.discount, b.batch.discount);
}

// Adds and learns for a while on every replay alike, and expects equal samples throughout.
void train(std::vector<rl::Replay*> replays, RandomPlay& play, tarl::Rng& rng, int steps) {
  constexpr int kRows = 16;
  for (int step = 0; step < steps; ++step) {
    const Played played = play.next();
    for (rl::Replay* replay : replays) replay->add(played.transition());
    if (step % 4 != 0) continue;
    std::vector<float> errors(kRows);
    std::vector<rl::Sample> samples;
    const tarl::Rng before = rng;
    for (rl::Replay* replay : replays) {
      rng = before;
      samples.push_back(sample_for(kRows));
      replay->sample(kRows, 0.5, rng, samples.back());
      expect_equal(samples.front(), samples.back());
    }
    for (float& error : errors) error = static_cast<float>(rng.uniform());
    for (rl::Replay* replay : replays) replay->update_priorities(samples.front(), errors);
    if (step % 100 == 0) {
      for (rl::Replay* replay : replays) replay->on_target_sync();
    }
    if (testing::Test::HasFatalFailure()) return;
  }
}

TEST(MakeReplay, EveryKindContinuesToTheBitAfterSaveAndLoad) {
  for (const ReplayConfig& config : all_kinds()) {
    for (const int lanes : {1, 3}) {
      for (const int before : {3, 60, 900}) {
        SCOPED_TRACE(config.kind + ", " + config.draw);
        const auto make = [&] { return make_replay(config, kObs, kAction, 300, lanes, 3, 0.99); };
        const auto replay = make(), restored = make();
        RandomPlay play(kObs, lanes, 0.02, 1);
        tarl::Rng rng = tarl::seeded(2);
        train({replay.get()}, play, rng, before);
        tarl::Tensors file;
        tarl::StateWriter out(file, "replay/");
        replay->save(out);
        restored->load(tarl::StateReader(file, "test", "replay/"));
        EXPECT_EQ(replay->size(), restored->size());
        train({replay.get(), restored.get()}, play, rng, 700);
        if (HasFatalFailure()) return;
      }
    }
  }
}

TEST(MakeReplay, UniformDrawsEverySlotEquallyOften) {
  const auto replay = make_replay({}, kObs, kAction, 50, 1, 1, 0.99);
  RandomPlay play(kObs, 1, 0.1, 1);
  for (int step = 0; step < 70; ++step) replay->add(play.next().transition());
  tarl::Rng rng = tarl::seeded(3);
  rl::Sample sample = sample_for(100);
  std::vector<int> seen(50);
  for (int round = 0; round < 1000; ++round) {
    replay->sample(100, 0.0, rng, sample);
    for (const std::int64_t slot : sample.index) ++seen[slot];
  }
  double chi_square = 0;
  for (const int count : seen) chi_square += (count - 2000.0) * (count - 2000.0) / 2000.0;
  EXPECT_LT(chi_square, 85.4);  // 49 degrees of freedom, 0.1 % level
  for (const float weight : sample.weight) EXPECT_EQ(weight, 1.0F);
}

TEST(MakeReplay, WeightsAreThoseOfTheProbabilities) {
  const auto replay = make_replay(of_kind("per"), kObs, kAction, 64, 1, 1, 0.99);
  RandomPlay play(kObs, 1, 0.1, 1);
  for (int step = 0; step < 40; ++step) replay->add(play.next().transition());
  tarl::Rng rng = tarl::seeded(3);
  rl::Sample sample = sample_for(16);
  replay->sample(16, 0.0, rng, sample);
  for (const float weight : sample.weight) EXPECT_FLOAT_EQ(weight, 1.0F);  // all new: all equal
  std::vector<float> errors(16);
  for (float& error : errors) error = static_cast<float>(rng.uniform());
  replay->update_priorities(sample, errors);
  replay->sample(16, 0.5, rng, sample);
  const auto& priorities =
      dynamic_cast<const tarl::replay::PrioritizedReplay&>(*replay).priorities();
  for (int row = 0; row < 16; ++row) {
    const double p = priorities.weight(sample.index[row]) / priorities.total();
    EXPECT_FLOAT_EQ(sample.weight[row], static_cast<float>(std::pow(40 * p, -0.7)));
  }
}

TEST(MakeReplay, TheExponentOfTheErrorDependsOnTheKind) {
  const auto weight_of_two = [](ReplayConfig config) {
    const auto replay = make_replay(config, kObs, kAction, 4, 1, 1, 0.99);
    RandomPlay play(kObs, 1, 2.0, 1);  // every step ends an episode
    replay->add(play.next().transition());
    tarl::Rng rng = tarl::seeded(1);
    rl::Sample sample = sample_for(1);
    replay->sample(1, 0.0, rng, sample);
    replay->update_priorities(sample, std::vector<float>{2.0F});
    return dynamic_cast<const tarl::replay::PrioritizedReplay&>(*replay).priorities().weight(0);
  };
  EXPECT_NEAR(weight_of_two(of_kind("per")), std::pow(2, 0.6), 1e-5);
  EXPECT_NEAR(weight_of_two(of_kind("reaper")), std::pow(2, 0.4), 1e-5);
  ReplayConfig own = of_kind("per");
  own.alpha = 0.9;
  EXPECT_NEAR(weight_of_two(own), std::pow(2, 0.9), 1e-5);
}

TEST(MakeReplay, RefusesWhatDoesNotFitIntoMemory) {
  for (const char* kind : {"uniform", "per", "reaper"}) {
    try {
      make_replay(of_kind(kind), kObs, kAction, 999'999'999'999'999, 1, 1, 0.99);
      FAIL() << "nothing was refused";
    } catch (const tarl::UsageError& error) {
      const std::string message = error.what();
      EXPECT_NE(message.find("999999999999999"), std::string::npos) << message;
      EXPECT_NE(message.find(" bytes"), std::string::npos) << message;
    }
  }
  EXPECT_THROW(make_replay({}, kObs, kAction, 0, 1, 1, 0.99), tarl::UsageError);
  EXPECT_THROW(make_replay(of_kind("nearest"), kObs, kAction, 10, 1, 1, 0.99), tarl::UsageError);
}

TEST(MakeReplay, FitsTheMemoryItWasPlannedFor) {
  EXPECT_LE(make_replay({}, kObs, kAction, 100'000, 1, 1, 0.99)->memory_bytes(), 12'000'000U);
  const rl::ObsSpec freeway = bits(7, 10);
  for (const char* kind : {"per", "reaper", "alignment"}) {
    const auto replay = make_replay(of_kind(kind), freeway, kAction, 100'000, 1, 1, 0.99);
    EXPECT_LE(replay->memory_bytes(), 20'000'000U) << kind;
  }
}

TEST(MakeReplay, ALargeBufferStartsAtOnce) {
  const auto start = std::chrono::steady_clock::now();
  const auto replay = make_replay({}, frames(4, 84), discrete(18), 1'000'000, 1, 1, 0.99);
  EXPECT_LE(replay->memory_bytes(), 7'300'000'000U);
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(1));
}

TEST(ReplayFields, CoverTheSettings) {
  ReplayConfig config;
  tarl::Fields all = tarl::replay::fields(config);
  tarl::set_field(all, "replay.kind", "reaper", "test");
  tarl::set_field(all, "replay.omega", "0.3", "test");
  tarl::set_field(all, "replay.draw", "stratified", "test");
  EXPECT_EQ(config.kind, "reaper");
  EXPECT_EQ(config.omega, 0.3);
  EXPECT_EQ(config.draw, "stratified");
  EXPECT_THROW(tarl::set_field(all, "replay.kind", "alignment", "test"), tarl::UsageError);
}

}  // namespace
