// SPDX-License-Identifier: MIT
#pragma once

#include <cstring>
#include <numeric>
#include <span>
#include <string>
#include <vector>

#include "tarl/core/rng.h"
#include "tarl/core/state.h"
#include "tarl/rl/agent.h"

namespace actor_critic_tests {

inline tarl::rl::ObsSpec obs_spec(int size) {
  tarl::rl::ObsSpec spec;
  spec.width = size;
  return spec;
}

inline tarl::rl::ActionSpec action_spec(int size) {
  tarl::rl::ActionSpec spec;
  spec.size = size;
  return spec;
}

inline std::vector<float> normals(tarl::Rng& rng, std::size_t count) {
  std::vector<float> out(count);
  for (float& value : out) value = static_cast<float>(rng.normal());
  return out;
}

inline void set_row(std::vector<std::byte>& rows, int row, std::span<const float> values) {
  std::memcpy(rows.data() + static_cast<std::size_t>(row) * values.size_bytes(), values.data(),
              values.size_bytes());
}

inline tarl::rl::Batch random_batch(int obs, int action, int rows, tarl::Rng rng) {
  tarl::rl::Batch batch(obs_spec(obs), action_spec(action), rows);
  batch.rows = rows;
  for (int row = 0; row < rows; ++row) {
    set_row(batch.obs, row, normals(rng, static_cast<std::size_t>(obs)));
    set_row(batch.next_obs, row, normals(rng, static_cast<std::size_t>(obs)));
    batch.reward[static_cast<std::size_t>(row)] = static_cast<float>(rng.normal());
    batch.discount[static_cast<std::size_t>(row)] = rng.uniform() < 0.1 ? 0.0F : 0.99F;
  }
  for (float& value : batch.action) value = static_cast<float>(2 * rng.uniform() - 1);
  return batch;
}

// The given rows of a batch as a separate batch.
inline tarl::rl::Batch rows_of(const tarl::rl::Batch& from, int obs, int action,
                               const std::vector<std::int32_t>& rows) {
  tarl::rl::Batch batch(obs_spec(obs), action_spec(action), static_cast<int>(rows.size()));
  batch.rows = static_cast<int>(rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const auto row = static_cast<std::size_t>(rows[i]);
    std::memcpy(batch.obs.data() + i * batch.obs_bytes, from.obs_row(rows[i]), batch.obs_bytes);
    std::memcpy(batch.next_obs.data() + i * batch.obs_bytes, from.next_obs_row(rows[i]),
                batch.obs_bytes);
    batch.reward[i] = from.reward[row];
    batch.discount[i] = from.discount[row];
    for (int k = 0; k < action; ++k) {
      batch.action[i * static_cast<std::size_t>(action) + static_cast<std::size_t>(k)] =
          from.action[row * static_cast<std::size_t>(action) + static_cast<std::size_t>(k)];
    }
  }
  return batch;
}

inline std::vector<std::int32_t> first_rows(int count) {
  std::vector<std::int32_t> rows(static_cast<std::size_t>(count));
  std::iota(rows.begin(), rows.end(), 0);
  return rows;
}

inline std::vector<float> ones(std::size_t count) {
  return std::vector<float>(count, 1.0F);
}

// Everything an agent would put into a checkpoint, as bytes.
inline std::vector<std::byte> state_bytes(const tarl::rl::Agent& agent) {
  tarl::Tensors state;
  tarl::StateWriter writer(state);
  agent.save(writer);
  std::vector<std::byte> out;
  for (const auto& [name, tensor] : state) {
    out.insert(out.end(), tensor.bytes.begin(), tensor.bytes.end());
  }
  return out;
}

inline void copy_state(const tarl::rl::Agent& from, tarl::rl::Agent& to) {
  tarl::Tensors state;
  tarl::StateWriter writer(state);
  from.save(writer);
  to.load(tarl::StateReader(state, "test"));
}

// Several updates on fresh batches, keeping every second row of twice as many; syncs after each.
inline void train(tarl::rl::Agent& agent, int obs, int action, int kept_rows, int updates) {
  tarl::Rng data = tarl::seeded(5), noise = tarl::seeded(6);
  std::vector<std::int32_t> kept;
  for (int i = 0; i < kept_rows; ++i) kept.push_back(2 * i + 1);
  for (int i = 0; i < updates; ++i) {
    const tarl::rl::Batch batch =
        random_batch(obs, action, 2 * kept_rows, data.fork(std::to_string(i)));
    agent.assess(batch, true, noise);
    agent.update(kept, ones(kept.size()), noise);
    agent.sync_target(0.01);
  }
}

}  // namespace actor_critic_tests
