// SPDX-License-Identifier: MIT
#pragma once

#include "tarl/fleet/cuda/replay/sum_levels.cuh"
#include "tarl/fleet/minatar_dqn/agent_state.h"

namespace tarl::fleet {

// An episode of an evaluation in progress.
struct EvalEpisode {
  Play play;
  Rng act;
  double score;
  std::int64_t length;
  std::int32_t over, cut;
};

// Arrays indexed by slot are zero-padded to a multiple of 32.
struct ReaperView {
  double* td;                 // [slot], not padded
  double* sum;                // [slot] S: of running transitions; of a finished episode at its last
  double* sum_max;            // [slot / 32] maximum of 32 neighbours
  std::uint32_t* entry;       // [slot] the episode's entry
  replay::PowerRow* row;      // [slot] td^alpha * C^omega; while the episode runs, the whole weight
  replay::PowerGroup* group;  // [slot / 32]
  replay::ReaperEpisode* episode;
  std::uint32_t* free_entries;
};

// The same view with pointers known to be in global memory.
__device__ inline ReaperView in_global(const ReaperView& view) {
  return {ptx::global(view.td),      ptx::global(view.sum),         ptx::global(view.sum_max),
          ptx::global(view.entry),   ptx::global(view.row),         ptx::global(view.group),
          ptx::global(view.episode), ptx::global(view.free_entries)};
}

// The inputs of an update: of the one that stopped the run or, for tests, of each one.
struct UpdateRecord {
  std::int64_t index[kMaxCandidates];
  float weight[kMaxCandidates];
  float q[kMaxCandidates], y_online[kMaxCandidates], y_offline[kMaxCandidates];
  std::int32_t kept[kMaxCandidates];
  float kept_weight[kMaxCandidates];
  float act_q[kMaxActions];
  std::int32_t acted;  // act_q was computed with the candidates
};

// Admission limit. The parameter update is memory-bound; agents that update simultaneously fall
// into lockstep and leave the memory idle between bursts. Only a limited number may update at once,
// in arrival order, while the others compute. This affects timing only, never results.
struct AdmissionLimit {
  std::uint32_t came, left;

  // How many may update at once, measured on an H200: the more work between two updates, the fewer.
  __device__ static std::uint32_t limit(ReplayKind replay) {
    return replay == ReplayKind::kUniform ? 44 : replay == ReplayKind::kReaper ? 28 : 36;
  }
};

// Pointers to an agent's arrays in global memory.
struct AgentView {
  AdmissionLimit* admission;  // shared by all agents
  AgentState* state;          // in host memory
  EpisodeEntry* log;          // likewise
  EvalEpisode* eval;
  const std::uint64_t* eval_keys;
  UpdateRecord* record;
  std::int32_t records_all;  // record every update, not only one that stops the run

  float *values, *target, *grads;
  float* moment[2];
  float* replicas;    // first moments, for the blocks after the first
  float* scratch;     // activations
  std::byte* batch;   // gathered observations: [m + b] s, then [m + b] s'
  std::byte* packed;  // fp16 kernel, big layer: fp16 weights, fp16 target weights, the rest

  std::byte* frames;
  std::int32_t* action;
  float* reward;
  std::uint8_t* flags;

  double* priority;  // PER: [slot]
  SumLevels tree;    // PER: weights of slots; ReaPER: of groups of 32 slots
  ReaperView reaper;
};

// Where a run was when an update began; the next step may be played during the update.
struct Begun {
  std::int64_t step, stored, logged;
};

// The random draws of a step: the stream after them and, if it explores, the action.
struct Chance {
  Rng stream;
  std::int32_t action, chooses;
};

// The block's shared memory during a slice.
struct Shared {
  AgentSpec spec;
  AgentView view;
  AgentState state;
  std::int32_t index[kMaxCandidates];   // slots drawn
  std::uint32_t entry[kMaxCandidates];  // ReaPER: entries of their episodes
  alignas(16) double tree_smem[kNearValues + 32];
  float raw_weight[kMaxCandidates];
  float reward[kMaxCandidates], discount[kMaxCandidates];
  std::int32_t action[kMaxCandidates];
  float q[kMaxCandidates], y_online[kMaxCandidates], y_offline[kMaxCandidates];
  double score[kMaxCandidates];
  std::uint32_t terminals[kMaxCandidates / 32];  // bit per row; requires scores
  std::int32_t kept[kMaxCandidates];  // rows to learn from, ascending; scratch until then
  float kept_weight[kMaxCandidates];
  float slope[kMaxCandidates];  // d loss / d q of the kept rows
  double scratch[kWarps];
  float act_q[kMaxEvalEpisodes][kMaxActions + 2];
  alignas(16) std::byte act_obs[kMaxEvalEpisodes][kMaxObsBytes];
  double loss, q_mean, grad_norm;
  Rng next_sample;  // the sampling stream once the drawn rows are consumed
  Begun began;
  // The next step is prepared if both are set: its rows are drawn and gathered, in two halves,
  // except for parts of the newest transition that were left out. Aligned so that the single vector
  // load of all four never touches data that another thread may be writing.
  alignas(16) std::int32_t ready[2], left_out[2];
  std::int64_t foreseen;  // the step whose random draws are in `chance`, or -1
  Chance chance;
  std::int64_t looked;             // ReaPER: the step for which may_end and must_end hold, or -1
  std::int32_t may_end, must_end;  // some action, or every action, ends the episode
  std::int64_t stop;               // the slice makes no step beyond this one
  std::int64_t added;  // PER, ReaPER: transitions with a priority, maybe the next one, too
  // Kept here to spare registers over the whole step.
  std::int64_t updates_left;  // of the step
  std::int32_t plays;         // the step is played during the update
  std::int32_t explores;      // the action is random

  // ReaPER: the game before the step, stored next to the observation to act on. Evaluations
  // overwrite it.
  __device__ Play& play_before() { return *reinterpret_cast<Play*>(act_obs[1]); }
};

static_assert(sizeof(Play) <= (kMaxEvalEpisodes - 1) * kMaxObsBytes);

}  // namespace tarl::fleet
