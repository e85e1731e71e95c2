// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

namespace tarl::agents::actor_critic {

// Defaults of continuous agents where they differ from discrete ones: Stable-Baselines3's, with the
// paper's warm-up.
inline std::vector<std::string> run_defaults() {
  return {"steps=1000000",           "buffer_size=1000000", "batch_size=256",
          "learning_starts=10000",   "tau=0.005",           "train_freq=1",
          "target_update_interval=1"};
}

}  // namespace tarl::agents::actor_critic
