// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "tarl/rl/spec.h"

namespace tarl::rl {

// What the loop hands to replay after every environment step.
struct Transition {
  int lane = 0;  // which of the parallel environments
  std::span<const std::byte> obs;
  Action action;
  float reward = 0;
  bool terminated = false;
  bool truncated = false;
  std::span<const std::byte> next_obs;
};

// Rows drawn from replay. Sized once for the largest draw; `rows` says how many are filled.
struct Batch {
  Batch() = default;

  Batch(const ObsSpec& obs_spec, const ActionSpec& action_spec, int capacity)
      : obs_bytes(obs_spec.bytes()),
        action_size(action_spec.discrete() ? 0 : action_spec.size),
        obs(static_cast<std::size_t>(capacity) * obs_bytes),
        next_obs(obs.size()),
        action_index(static_cast<std::size_t>(capacity)),
        action(static_cast<std::size_t>(capacity * action_size)),
        reward(static_cast<std::size_t>(capacity)),
        discount(static_cast<std::size_t>(capacity)) {}

  const std::byte* obs_row(int row) const { return obs.data() + row * obs_bytes; }

  const std::byte* next_obs_row(int row) const { return next_obs.data() + row * obs_bytes; }

  // Whether a row's target is its reward alone.
  bool terminal(std::size_t row) const { return discount[row] == 0; }

  int rows = 0;
  std::size_t obs_bytes = 0;
  int action_size = 0;                     // 0 for discrete actions
  std::vector<std::byte> obs;              // [rows][obs_bytes]
  std::vector<std::byte> next_obs;         // [rows][obs_bytes]
  std::vector<std::int32_t> action_index;  // [rows]
  std::vector<float> action;               // [rows][action_size]
  std::vector<float> reward;               // [rows] n-step return
  std::vector<float> discount;             // [rows] gamma^n, 0 if the episode terminated
};

}  // namespace tarl::rl
