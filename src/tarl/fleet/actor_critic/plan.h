// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <vector>

#include "tarl/align/align.h"
#include "tarl/nn/mlp.h"
#include "tarl/nn/parameters.h"

namespace tarl::fleet::actor_critic {

// Limits of the program; runs that exceed them are refused by name.
inline constexpr int kHiddenLayers = 2;
inline constexpr int kMaxWidth = 512;   // of a hidden layer
inline constexpr int kMaxActions = 32;  // one lane of a warp each
inline constexpr int kMaxCritics = 4;
inline constexpr int kMaxActRows = 128;  // observations acted on at a time: n_envs, episodes

// A group of networks trained by one Adam, in the CPU's layout.
struct NetsPlan {
  nn::ParameterLayout layout;
  std::vector<nn::Mlp> nets;
  bool has_target = false;
};

// The constants of an agent.
struct AgentPlan {
  bool sac = false;  // else TD3, of which DDPG is a special case
  int obs = 0, actions = 0;
  int batch = 0, candidates = 0;
  bool scores = false;    // the filter needs them
  bool clipped = true;    // scores use the smallest critic's targets, else each critic's own
  double loss_scale = 1;  // of each critic's mean squared error
  double gamma = 0, tau = 0;
  double target_entropy = 0;              // SAC
  float noise_scale = 0, noise_clip = 0;  // TD3: of target actions
  std::int64_t capacity = 0;              // of the replay
  int act_rows = 1;
  bool halves = false;  // fleet.precision = fp16
  NetsPlan actor, critics;

  int critic_count() const { return static_cast<int>(critics.nets.size()); }

  // Of a row of the replay: observation, action, next observation, reward, discount.
  int row_floats() const { return 2 * obs + actions + 2; }
};

// The parameters and optimiser state of a group, in its layout.
struct NetsImage {
  std::vector<float> values, target, first, second;  // moments of Adam
};

struct Networks {
  NetsImage actor, critics;
};

}  // namespace tarl::fleet::actor_critic
