// SPDX-License-Identifier: MIT
#include "tarl/replay/uniform.h"

#include "replay/replays.h"
#include <gtest/gtest.h>

namespace {

using namespace replay_test;
using tarl::replay::make_replay;
namespace rl = tarl::rl;

TEST(Uniform, DrawsEverySlotEquallyOften) {
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

}  // namespace
