// SPDX-License-Identifier: MIT
#pragma once

#include <limits>

namespace tarl::train {

// As Stable-Baselines3's VecNormalize, with its defaults; off by default.
struct NormalizeConfig {
  bool obs = false;
  bool reward = false;
  double clip_obs = 10;
  double clip_reward = 10;
  double epsilon = 1e-8;
  double gamma = std::numeric_limits<double>::quiet_NaN();  // of the return; "auto": the run's

  bool any() const { return obs || reward; }
};

}  // namespace tarl::train
