// SPDX-License-Identifier: MIT
#include "tarl/replay/prioritized.h"

#include <cmath>

#include "replay/replays.h"
#include <gtest/gtest.h>

namespace {

using namespace replay_test;
using tarl::replay::make_replay;
using tarl::replay::ReplayConfig;
namespace rl = tarl::rl;

TEST(Prioritized, WeightsAreThoseOfTheProbabilities) {
  const auto replay = make_replay(of_kind(tarl::replay::Kind::kPer), kObs, kAction, 64, 1, 1, 0.99);
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

TEST(Prioritized, TheExponentOfTheErrorDependsOnTheKind) {
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
  EXPECT_NEAR(weight_of_two(of_kind(tarl::replay::Kind::kPer)), std::pow(2, 0.6), 1e-5);
  EXPECT_NEAR(weight_of_two(of_kind(tarl::replay::Kind::kReaper)), std::pow(2, 0.4), 1e-5);
  ReplayConfig own;
  own.kind = tarl::replay::Kind::kPer;
  own.alpha = 0.9;
  EXPECT_NEAR(weight_of_two(completed(own)), std::pow(2, 0.9), 1e-5);
}

TEST(Prioritized, TruncationEndsAnEpisodeToo) {
  const auto replay =
      make_replay(of_kind(tarl::replay::Kind::kReaper), kObs, kAction, 8, 1, 1, 0.99);
  RandomPlay play(kObs, 1, 0.0, 1);
  for (int step = 0; step < 3; ++step) {
    Played played = play.next();
    played.truncated = step == 2;
    replay->add(played.transition());
  }
  const auto& priorities =
      dynamic_cast<const tarl::replay::PrioritizedReplay&>(*replay).priorities();
  EXPECT_NEAR(priorities.weight(0), std::pow(1.0 / 3, 0.2), 1e-12);  // C / S = 1 / 3, td = 1
}

}  // namespace
