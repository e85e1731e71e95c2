// SPDX-License-Identifier: MIT
#pragma once

#include "tarl/fleet/cuda/replay/sum_levels.cuh"
#include "tarl/fleet/minatar_dqn/agent_state.h"

namespace tarl::fleet {

// An evaluation's episode while it is played.
struct EvalEpisode {
  Play play;
  Rng act;
  double score;
  std::int64_t length;
  std::int32_t over, cut;
};

// Arrays by slot are padded with zeros to a multiple of 32.
struct ReaperView {
  double* td;             // [slot], not padded
  double* sum;            // [slot] S: of running transitions; of finished episodes at their last
  double* sum_max;        // [slot / 32] the largest of 32 neighbours
  std::uint32_t* entry;   // [slot] its episode's
  replay::PowerRow* row;  // [slot] td^alpha * C^omega; while the episode runs, the whole weight
  replay::PowerGroup* group;  // [slot / 32]
  replay::ReaperEpisode* episode;
  std::uint32_t* free_entries;
};

// The same, known to lie in global memory.
__device__ inline ReaperView in_global(const ReaperView& view) {
  return {ptx::global(view.td),      ptx::global(view.sum),         ptx::global(view.sum_max),
          ptx::global(view.entry),   ptx::global(view.row),         ptx::global(view.group),
          ptx::global(view.episode), ptx::global(view.free_entries)};
}

// What an update looked at: one that stopped the run or, for tests, each.
struct UpdateRecord {
  std::int64_t index[kMaxCandidates];
  float weight[kMaxCandidates];
  float q[kMaxCandidates], y_online[kMaxCandidates], y_offline[kMaxCandidates];
  std::int32_t kept[kMaxCandidates];
  float kept_weight[kMaxCandidates];
  float act_q[kMaxActions];
  std::int32_t acted;  // beside the candidates
};

// Agents that move parameters at the same time slow each other down, and then go on together and
// all want the memory again at the same time. So only some may, first come first served; the rest
// compute meanwhile. It changes when things happen, not what.
struct Turnstile {
  std::uint32_t came, left;

  // How many may, measured on an H200: the more an agent does between two moves, the fewer.
  __device__ static std::uint32_t places(ReplayKind replay) {
    return replay == ReplayKind::kUniform ? 44 : replay == ReplayKind::kPer ? 36 : 28;
  }
};

// Where an agent's arrays lie in the device's memory.
struct AgentView {
  Turnstile* turnstile;  // of all agents
  AgentState* state;     // in the host's memory
  EpisodeEntry* log;     // likewise
  EvalEpisode* eval;
  const std::uint64_t* eval_keys;
  UpdateRecord* record;
  std::int32_t records_all;  // updates, or only one that stops the run

  float *values, *target, *grads;
  float* moment[2];
  float* replicas;    // of the first moment, for the blocks after the first
  float* scratch;     // activations
  std::byte* batch;   // gathered observations: [m + b] s, then [m + b] s'
  std::byte* packed;  // the big layer of the fp16 kernel: fp16s, those of the target, the rest

  std::byte* frames;
  std::int32_t* action;
  float* reward;
  std::uint8_t* flags;

  double* priority;  // PER: [slot]
  SumLevels tree;    // PER: weights of slots; ReaPER: of groups of 32 slots
  ReaperView reaper;
};

// Where a run was when an update began; while it is made the next step may be played.
struct Begun {
  std::int64_t step, stored, logged;
};

// What chance says about a step: its stream afterwards and, if it chooses, the action.
struct Chance {
  Rng stream;
  std::int32_t action, chooses;
};

// What the block keeps in its own memory over a slice.
struct Shared {
  AgentSpec spec;
  AgentView view;
  AgentState state;
  std::int32_t index[kMaxCandidates];   // slots drawn
  std::uint32_t entry[kMaxCandidates];  // ReaPER: their episodes'
  alignas(16) double tree_smem[kNearValues + 32];
  float raw_weight[kMaxCandidates];
  float reward[kMaxCandidates], discount[kMaxCandidates];
  std::int32_t action[kMaxCandidates];
  float q[kMaxCandidates], y_online[kMaxCandidates], y_offline[kMaxCandidates];
  double score[kMaxCandidates];
  std::uint32_t terminals[kMaxCandidates / 32];  // bits by row, where there are scores
  std::int32_t
      kept[kMaxCandidates];  // rows to learn from, ascending; scratch before they are chosen
  float kept_weight[kMaxCandidates];
  float slope[kMaxCandidates];  // d loss / d q of the kept rows
  double scratch[kWarps];
  float act_q[kMaxEvalEpisodes][kMaxActions + 2];
  alignas(16) std::byte act_obs[kMaxEvalEpisodes][kMaxObsBytes];
  double loss, q_mean, grad_norm;
  Rng next_sample;  // the state's, once what was drawn is used
  Begun began;
  // The next step, where both are ready: its rows are drawn and gathered, in two halves, but for
  // what of the newest transition was left out. Aligned, so that the one load which brings all of
  // it brings nothing that another thread may be writing.
  alignas(16) std::int32_t ready[2], left_out[2];
  std::int64_t foreseen;  // the step of which chance is known, or -1
  Chance chance;
  std::int64_t looked;             // ReaPER: the step of which its end is known, or -1
  std::int32_t may_end, must_end;  // an action would end the episode, all would
  std::int64_t stop;               // the step that the slice ends before
  std::int64_t added;  // transitions with a priority (not uniform): the next one may be among them
  // What would otherwise have to survive a step in registers.
  std::int64_t updates_left;  // of the step
  std::int32_t plays;         // the step is played while it learns
  std::int32_t explores;      // chance has chosen its action

  // ReaPER: the play before the step, beside the observation to act on. Evaluations overwrite it.
  __device__ Play& play_before() { return *reinterpret_cast<Play*>(act_obs[1]); }
};

static_assert(sizeof(Play) <= (kMaxEvalEpisodes - 1) * kMaxObsBytes);

}  // namespace tarl::fleet
