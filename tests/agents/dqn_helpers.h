// SPDX-License-Identifier: MIT
#pragma once

#include <cstring>
#include <numeric>
#include <vector>

#include <gtest/gtest.h>

#include "tarl/agents/dqn.h"

namespace tarl::agents {

inline constexpr int kActions = 5;

inline rl::ObsSpec bits_spec() {
  return {rl::ObsKind::kBits, 4, 10, 10, 1};
}

inline rl::ObsSpec floats_spec() {
  return {rl::ObsKind::kFloats, 1, 1, 9, 1};
}

// DQN with a suitable network.
inline DqnConfig plain_config(const rl::ObsSpec& obs) {
  return completed({}, obs.kind);
}

inline rl::ActionSpec five_actions() {
  rl::ActionSpec spec;
  spec.count = kActions;
  return spec;
}

inline void fill_obs(std::vector<std::byte>& obs, const rl::ObsSpec& spec, int rows, Rng& rng) {
  for (int row = 0; row < rows; ++row) {
    std::byte* at = obs.data() + static_cast<std::size_t>(row) * spec.bytes();
    for (int i = 0; i < spec.size(); ++i) {
      if (spec.kind == rl::ObsKind::kBits) {
        if (rng.uniform() < 0.06) at[i / 8] |= std::byte{1} << (i % 8);
      } else if (spec.kind == rl::ObsKind::kBytes) {
        if (rng.uniform() < 0.3) at[i] = static_cast<std::byte>(rng.below(256));
      } else {
        const auto value = static_cast<float>(rng.normal());
        std::memcpy(at + static_cast<std::size_t>(i) * sizeof value, &value, sizeof value);
      }
    }
  }
}

inline rl::Batch random_batch(const rl::ObsSpec& spec, int rows, Rng& rng) {
  rl::Batch batch(spec, five_actions(), rows);
  batch.rows = rows;
  fill_obs(batch.obs, spec, rows, rng);
  fill_obs(batch.next_obs, spec, rows, rng);
  for (std::size_t i = 0; i < static_cast<std::size_t>(rows); ++i) {
    batch.action_index[i] = static_cast<std::int32_t>(rng.below(kActions));
    batch.reward[i] = static_cast<float>(rng.normal());
    batch.discount[i] = rng.uniform() < 0.1 ? 0.0F : 0.99F;
  }
  return batch;
}

// The given rows of a batch as a separate batch.
inline rl::Batch some_rows(const rl::Batch& from, const rl::ObsSpec& spec,
                           const std::vector<std::int32_t>& rows) {
  rl::Batch out(spec, five_actions(), static_cast<int>(rows.size()));
  out.rows = static_cast<int>(rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const auto row = static_cast<std::size_t>(rows[i]);
    std::memcpy(out.obs.data() + i * out.obs_bytes, from.obs_row(rows[i]), out.obs_bytes);
    std::memcpy(out.next_obs.data() + i * out.obs_bytes, from.next_obs_row(rows[i]), out.obs_bytes);
    out.action_index[i] = from.action_index[row];
    out.reward[i] = from.reward[row];
    out.discount[i] = from.discount[row];
  }
  return out;
}

inline std::vector<std::int32_t> first_rows(int n) {
  std::vector<std::int32_t> rows(static_cast<std::size_t>(n));
  std::iota(rows.begin(), rows.end(), 0);
  return rows;
}

inline std::vector<float> ones(std::size_t n) {
  return std::vector<float>(n, 1.0F);
}

// All values of a set of tensors, in the order of their names.
inline std::vector<float> flat(const Tensors& tensors) {
  std::vector<float> out;
  for (const auto& [name, tensor] : tensors) {
    const std::span<const float> values = tensor.as<float>();
    out.insert(out.end(), values.begin(), values.end());
  }
  return out;
}

inline Tensors saved(const DqnAgent& agent) {
  Tensors state;
  StateWriter writer(state);
  agent.save(writer);
  return state;
}

}  // namespace tarl::agents
