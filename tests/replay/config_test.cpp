// SPDX-License-Identifier: MIT
#include "tarl/replay/config.h"

#include <fstream>

#include "replay/replays.h"
#include <gtest/gtest.h>
#include <unistd.h>

namespace {

using namespace replay_test;
using tarl::replay::Kind;
using tarl::replay::make_replay;
using tarl::replay::ReplayConfig;
namespace rl = tarl::rl;

std::vector<ReplayConfig> all_kinds() {
  return {of_kind(Kind::kUniform),
          of_kind(Kind::kPer),
          of_kind(Kind::kPer, tarl::replay::Draw::kStratified),
          of_kind(Kind::kReaper),
          of_kind(Kind::kReaper, tarl::replay::Draw::kStratified),
          of_kind(Kind::kAlignment)};
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
    for (float& error : errors) error = static_cast<float>(3 * rng.uniform());
    for (rl::Replay* replay : replays) replay->update_priorities(samples.front(), errors);
    if (step % 100 == 0) {
      for (rl::Replay* replay : replays) replay->on_target_sync();
    }
    if (testing::Test::HasFatalFailure()) return;
  }
}

void expect_same_file(const tarl::Tensors& file, const rl::Replay& replay) {
  tarl::Tensors again;
  tarl::StateWriter out(again, "replay/");
  replay.save(out);
  ASSERT_EQ(file.size(), again.size());
  for (const auto& [name, tensor] : file) EXPECT_EQ(tensor.bytes, again.at(name).bytes) << name;
}

TEST(MakeReplay, EveryKindContinuesToTheBitAfterSaveAndLoad) {
  for (const ReplayConfig& config : all_kinds()) {
    for (const int lanes : {1, 3}) {
      for (const int before : {3, 60, 900}) {
        SCOPED_TRACE(testing::Message()
                     << static_cast<int>(config.kind) << ", " << static_cast<int>(config.draw));
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
        expect_same_file(file, *restored);
        train({replay.get(), restored.get()}, play, rng, 700);
        if (HasFatalFailure()) return;
      }
    }
  }
}

TEST(MakeReplay, RefusesWhatDoesNotFitIntoMemory) {
  for (const Kind kind : {Kind::kUniform, Kind::kPer, Kind::kReaper}) {
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
}

TEST(MakeReplay, PacksPixelsOnly) {
  ReplayConfig config;
  config.compress = true;
  EXPECT_THROW(make_replay(config, kObs, kAction, 10, 1, 1, 0.99), tarl::UsageError);
  const auto replay = make_replay(config, frames(4, 84), kAction, 1000, 1, 1, 0.99);
  EXPECT_LT(replay->memory_bytes(), 1000 * 84 * 84 / 10U);
}

TEST(MakeReplay, FitsTheMemoryItWasPlannedFor) {
  EXPECT_LE(make_replay({}, kObs, kAction, 100'000, 1, 1, 0.99)->memory_bytes(), 12'000'000U);
  const rl::ObsSpec freeway = bits(7, 10);
  for (const Kind kind : {Kind::kPer, Kind::kReaper, Kind::kAlignment}) {
    const auto replay = make_replay(of_kind(kind), freeway, kAction, 100'000, 1, 1, 0.99);
    EXPECT_LE(replay->memory_bytes(), 20'000'000U) << static_cast<int>(kind);
  }
}

double resident_bytes() {
  double total = 0, resident = 0;
  std::ifstream("/proc/self/statm") >> total >> resident;
  return resident * static_cast<double>(sysconf(_SC_PAGE_SIZE));
}

TEST(MakeReplay, ALargeBufferCostsOnlyWhatIsFilled) {
  const double before = resident_bytes();
  const auto replay = make_replay({}, frames(4, 84), discrete(18), 1'000'000, 1, 1, 0.99);
  EXPECT_LE(replay->memory_bytes(), 7'300'000'000U);
  EXPECT_LT(resident_bytes() - before, 2e9);  // only a sanitizer's shadow memory
}

TEST(ReplayFields, CoverTheSettings) {
  ReplayConfig config;
  tarl::Fields all = tarl::replay::fields(config);
  tarl::set_field(all, "replay.kind", "reaper", "test");
  tarl::set_field(all, "replay.omega", "0.3", "test");
  tarl::set_field(all, "replay.draw", "stratified", "test");
  EXPECT_EQ(config.kind, Kind::kReaper);
  EXPECT_EQ(config.omega, 0.3);
  EXPECT_EQ(config.draw, tarl::replay::Draw::kStratified);
  EXPECT_THROW(tarl::set_field(all, "replay.kind", "alignment", "test"), tarl::UsageError);
}

}  // namespace
