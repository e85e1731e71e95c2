// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>

#include "tarl/core/rng.h"
#include "tarl/fleet/minatar_dqn/agent_spec.h"
#include "tarl/rl/metrics.h"
#include "tarl/train/loop_records.h"

namespace tarl::fleet {

// The metrics a DQN agent accumulates between two evaluations: the first of rl::Metric.
using rl::Metric;
inline constexpr int kAgentMetrics = rl::index_of(Metric::kTargetLag) + 1;
inline constexpr int kUpdateMetrics =
    rl::index_of(Metric::kAlignmentMean);  // the others need scores

using train::Phase;

enum class SliceEnd : std::int32_t {
  kRanOut,     // made the requested number of steps
  kEvaluated,  // made an evaluation; the host logs it
  kLogFull,    // the episode log is full; the host empties it
  kNonfinite,  // skipped an update because of a non-finite value
  kNone,       // continues
};

inline constexpr int kPlayBytes = 1024;  // upper bound of any game's state

// A game in progress with its settings, laid out as in the environments.
struct Play {
  alignas(8) std::byte bytes[kPlayBytes];
  Rng rng;
};

// All small mutable state; transferred to the device and back with every slice.
struct AgentState {
  std::int64_t step = 0, evaluations = 0;
  Phase phase = Phase::kCollect;
  SliceEnd end = SliceEnd::kRanOut;
  Rng explore, sample, noise;

  Play play;
  alignas(8) std::byte obs[kMaxObsBytes];
  alignas(8) std::byte next_obs[kMaxObsBytes];
  std::int32_t action = 0;
  std::int32_t terminal = 0;
  float reward = 0;
  std::int32_t bad_rows = 0;  // of the update that met a non-finite value
  double episode_score = 0;
  std::int64_t episode_length = 0;

  std::int64_t updates = 0, optimizer_steps = 0, skipped = 0;
  double target_lag = 0;
  double sum[kAgentMetrics] = {};
  std::int64_t count = 0;  // updates in those sums

  std::int64_t stored = 0;  // transitions ever added
  alignas(8) std::byte newest_next[kMaxObsBytes];

  double max_priority = 1, new_weight = 1;  // PER; with prioritize only the latter

  double max_td = 1, max_sum = 1;                            // ReaPER
  std::int64_t running = -1;                                 // entry of the running episode
  std::int64_t episodes = 0, entries = 0, free_entries = 0;  // started, ever used, free

  std::int64_t logged = 0;  // episodes in the log
  double eval_return[kMaxEvalEpisodes] = {};
  std::int64_t eval_length[kMaxEvalEpisodes] = {};
  std::int64_t eval_cut = 0;
};

// A training episode that ended during the slice.
struct EpisodeEntry {
  double score = 0;
  std::int64_t length = 0, step = 0;
};

inline constexpr int kLogEntries = 4096;

}  // namespace tarl::fleet
