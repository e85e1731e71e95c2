// SPDX-License-Identifier: MIT
#pragma once

#include "replay/random_play.h"

#include "tarl/replay/config.h"

namespace replay_test {

// MinAtar's shape of task, for tests of whole replays.
inline const tarl::rl::ObsSpec kObs = bits(4, 10);
inline const tarl::rl::ActionSpec kAction = discrete(5);

inline tarl::replay::ReplayConfig of_kind(
    tarl::replay::Kind kind, tarl::replay::Draw draw = tarl::replay::Draw::kIndependent) {
  tarl::replay::ReplayConfig config;
  config.kind = kind;
  config.draw = draw;
  return completed(config);
}

inline tarl::rl::Sample sample_for(int rows) {
  tarl::rl::Sample sample;
  sample.batch = tarl::rl::Batch(kObs, kAction, rows);
  return sample;
}

}  // namespace replay_test
