// SPDX-License-Identifier: MIT
#pragma once

#include "tarl/fleet/cuda/learner.cuh"
#include "tarl/fleet/minatar_dqn/cuda/game_step.cuh"

// train::Loop on one thread block: act, environment step, evaluate, store, sync the target, learn.
namespace tarl::fleet {

inline constexpr int kActWarp = 1;  // loads the observation to act on

__device__ inline bool is_ready(const Shared& s) {
  return s.ready[0] != 0 && s.ready[1] != 0;
}

template <class T>
__device__ void copy_words(const T* from, T* to, int first, int stride) {
  static_assert(sizeof(T) % 8 == 0);
  const auto* source = reinterpret_cast<const std::uint64_t*>(from);
  auto* target = reinterpret_cast<std::uint64_t*>(to);
#pragma unroll 1
  for (int i = first; i < static_cast<int>(sizeof(T) / 8); i += stride) target[i] = source[i];
}

// Takes the step's random action if it explores (s.explores = 1), and loads the observation to act
// on.
__device__ inline void explore(const AgentSpec& spec, Shared& s) {
  AgentState& state = s.state;
  if (thread_id() == 0) {
    if (s.foreseen != state.step) s.chance = draw_chance(spec, state);
    state.explore = s.chance.stream;
    state.action = s.chance.action;
    s.explores = s.chance.chooses;
  }
  if (warp_id() == kActWarp) {
    copy_obs(spec, state.obs, s.act_obs[0], lane_id(), 32);
    if (spec.replay == ReplayKind::kReaper) {
      copy_words(&state.play, &s.play_before(), lane_id(), 32);
    }
  }
  __syncthreads();
}

template <class Net>
__device__ void collect(const AgentSpec& spec, Shared& s, Net& net) {
  explore(spec, s);
  if (s.explores == 0) net.act(1);
  if (thread_id() == 0) {
    step_environment(spec, s);
    s.state.phase = Phase::kEvaluate;
  }
  __syncthreads();
}

// Plays the greedy episodes of an evaluation in parallel, one warp per episode.
template <class Net>
static __device__ __noinline__ void evaluate_policy() {
  Shared& s = Net::shared();
  const AgentSpec& spec = s.spec;
  const AgentView& view = s.view;
  Net net;
  const int i = warp_id();
  const bool mine = lane_id() == 0 && i < spec.eval_episodes;
  EvalEpisode* episode = view.eval + i;
  if (mine) {
    const std::uint64_t* keys = view.eval_keys + (s.state.evaluations * spec.eval_episodes + i) * 2;
    begin_play(spec, Rng{keys[0], 0}, episode->play);
    episode->act = Rng{keys[1], 0};
    episode->score = 0;
    episode->length = 0;
    episode->over = episode->cut = 0;
    reset_game(spec, episode->play, s.act_obs[i]);
  }
  while (__syncthreads_or(mine && episode->over == 0) != 0) {
    net.act(spec.eval_episodes);
    if (mine && episode->over == 0) {
      std::int32_t action = agents::greedy_action(s.act_q[i], spec.net.actions);
      random_action(spec, spec.eval_epsilon, episode->act, action);
      const envs::minatar::Outcome outcome = step_game(spec, episode->play, action, s.act_obs[i]);
      episode->score += outcome.reward;
      ++episode->length;
      const std::int64_t limit = spec.eval_step_limit;
      episode->cut = !outcome.terminal && limit > 0 && episode->length >= limit ? 1 : 0;
      episode->over = outcome.terminal || episode->cut != 0 ? 1 : 0;
    }
  }
  if (mine) {
    s.state.eval_return[i] = episode->score;
    s.state.eval_length[i] = episode->length;
  }
  const int cut = __syncthreads_count(mine && episode->cut != 0);
  if (thread_id() == 0) s.state.eval_cut = cut;
  __syncthreads();
}

// One warp stores the transition, logs a finished episode and prepares the next step.
__device__ inline void finish_step(const AgentSpec& spec, const AgentView& view,
                                   AgentState& state) {
  store_transition(spec, view, state);
  if (lane_id() == 0) {
    state.episode_score += state.reward;
    ++state.episode_length;
    if (state.terminal != 0) {
      if (ptx::cluster_rank() == 0) {
        view.log[state.logged] = {state.episode_score, state.episode_length, state.step};
      }
      ++state.logged;
      state.episode_score = 0;
      state.episode_length = 0;
      reset_game(spec, state.play, state.obs);
    }
  }
  __syncwarp();
  if (state.terminal == 0) copy_obs(spec, state.next_obs, state.obs, lane_id(), 32);
}

// One warp: adds the priority of the transition that is stored next or was just stored.
__device__ inline void add_transition(const AgentSpec& spec, const AgentView& view, Shared& s,
                                      std::int64_t transition, bool ends) {
  __syncwarp();  // every lane has read `added`
  add_priority(spec, view, s.state, transition, ends);
  if (lane_id() == 0) s.added = transition + 1;
  __syncwarp();
}

__device__ inline void store(const AgentSpec& spec, const AgentView& view, Shared& s) {
  if (warp_id() == 0) {
    finish_step(spec, view, s.state);
    const std::int64_t stored = s.state.stored;
    if (s.added < stored) add_transition(spec, view, s, stored - 1, s.state.terminal != 0);
  }
  __syncthreads();
}

__device__ inline bool syncs_at(const AgentSpec& spec, std::int64_t step) {
  return remainder_of(step, spec.target_interval) == 0;
}

// Whether a sync changes what the update after it draws.
__device__ inline bool sync_resets_priorities(const AgentSpec& spec) {
  return spec.replay == ReplayKind::kAlignment && spec.tau == 1;
}

template <class Net>
__device__ void sync_target(const AgentSpec& spec, const AgentView& view, Shared& s, Net& net,
                            std::int64_t step) {
  if (!syncs_at(spec, step)) return;
  net.sync_target();
  if (thread_id() == 0) s.state.target_lag *= 1 - spec.tau;
  __syncthreads();
  if (sync_resets_priorities(spec)) reset_alignment(spec, view, s.state);
}

__device__ inline bool learns_at(const AgentSpec& spec, std::int64_t step) {
  return step > spec.learning_starts && remainder_of(step, spec.train_freq) == 0;
}

__device__ inline double progress_at(const AgentSpec& spec, std::int64_t step) {
  return static_cast<double>(step) / static_cast<double>(spec.steps);
}

__device__ inline std::int64_t evaluations_due(const AgentSpec& spec, std::int64_t step) {
  return quotient_of(step * spec.eval_count, spec.steps);
}

// Most learning steps need not wait for their own game: the rows of the update are known before it,
// unless the transition being played is itself drawn, a sync resets the priorities or, with ReaPER,
// the action decides whether the episode ends. Such a step evaluates the candidates and the
// observation to act on in one forward pass, and plays the game during the parameter update. Every
// random draw is the same either way.
__device__ inline bool may_play_beside(const AgentSpec& spec, const AgentState& state,
                                       std::int64_t step) {
  return learns_at(spec, step) && spec.gradient_steps == 1 &&
         evaluations_due(spec, step) <= state.evaluations &&
         !(sync_resets_priorities(spec) && syncs_at(spec, step));
}

// The block: whether it is known before the action if the next step ends the episode. Only ReaPER
// needs to know.
__device__ inline bool knows_end(const AgentSpec& spec, Shared& s) {
  if (spec.replay != ReplayKind::kReaper) return true;
  if (s.looked != s.state.step) {
    __syncthreads();
    if (warp_id() == 0) look_ahead(spec, s, s.state.play, -1, s.state.step);
    __syncthreads();
  }
  return s.may_end == s.must_end;
}

// The blocks of an agent all compute the same, and only the first writes; the others may read its
// writes after this barrier.
__device__ inline void meet_blocks(const AgentSpec& spec) {
  if (spec.blocks > 1) ptx::cluster_sync();
}

// The block draws and gathers the rows of the next step. Returns false if the draw includes that
// step's own transition or depends on it.
template <class Net>
__device__ bool draw_ahead(const AgentSpec& spec, const AgentView& view, Shared& s) {
  if (!knows_end(spec, s)) return false;
  const std::int64_t slot = remainder_of(s.state.stored, spec.capacity);
  if (s.added <= s.state.stored) {
    __syncthreads();
    if (warp_id() == 0) add_transition(spec, view, s, s.state.stored, s.must_end != 0);
    __syncthreads();
  }
  draw(spec, view, s, s.state.stored + 1, progress_at(spec, s.state.step + 1));
  bool own = false;
  for (int row = thread_id(); row < spec.candidates; row += kThreads) own |= s.index[row] == slot;
  if (__syncthreads_or(own ? 1 : 0) != 0) return false;
  meet_blocks(spec);
  gather<Net>(s.state.stored, false, 0, spec.candidates, thread_id(), kThreads);
  __syncthreads();
  return true;
}

// One warp plays and stores the step, and makes the random draws of the following one.
__device__ inline void play_beside(const AgentSpec& spec, const AgentView& view, Shared& s) {
  if (lane_id() == 0) step_environment(spec, s);
  __syncwarp();
  finish_step(spec, view, s.state);
  if (lane_id() == 0) {
    s.chance = draw_chance(spec, s.state);
    s.foreseen = s.state.step;
  }
  __syncwarp();
}

// During a step: whether the following step belongs to this slice and may be played beside its
// update.
__device__ inline bool next_may_play_beside(const AgentSpec& spec, const Shared& s) {
  return s.began.step + 1 < s.stop && s.began.logged + 1 < kLogEntries &&
         may_play_beside(spec, s.state, s.began.step + 2);
}

// Uniform replay: two more warps draw and gather half the rows of the following step each.
template <class Net>
__device__ void prepare_rows(const AgentSpec& spec, Shared& s, int half) {
  const int middle = spec.candidates / 2;
  const int first = half == 0 ? 0 : middle, end = half == 0 ? middle : spec.candidates;
  const std::int64_t stored = s.began.stored + 1;  // after the running step
  bool ready = next_may_play_beside(spec, s);
  if (ready) {
    draw_uniform(spec, s, stored + 1, first, end, lane_id(), 32);
    __syncwarp();
    const std::int64_t slot = remainder_of(stored, spec.capacity);
    bool own = false;
    for (int row = first + lane_id(); row < end; row += 32) own |= s.index[row] == slot;
    ready = __any_sync(kFullWarp, own ? 1 : 0) == 0;
    const bool left_out = ready && gather<Net>(stored, true, first, end, lane_id(), 32);
    const bool any_left_out = __any_sync(kFullWarp, left_out ? 1 : 0) != 0;
    if (lane_id() == 0) s.left_out[half] = any_left_out ? 1 : 0;
  }
  if (lane_id() == 0) s.ready[half] = ready ? 1 : 0;
  __syncwarp();
}

// PER and ReaPER: one warp adds the transition after the one being played. Kept out of line: the
// weight pass leaves few registers.
static __device__ __noinline__ void prepare_priority(const AgentSpec& spec, const AgentView& view,
                                                     Shared& s) {
  if (!next_may_play_beside(spec, s)) return;
  if (spec.replay == ReplayKind::kReaper) {
    look_ahead(spec, s, s.play_before(), chosen_action(spec, s), s.began.step + 1);
    if (s.may_end != s.must_end) return;
  }
  add_transition(spec, view, s, s.began.stored + 1, s.must_end != 0);
}

// Syncs the target and learns if the step is due. With `beside`, the step's rows are already drawn
// and the game is played during the update. Returns false if the run must stop.
template <class Net>
__device__ bool sync_and_learn(const AgentSpec& spec, const AgentView& view, Shared& s, Net& net,
                               bool beside) {
  const std::int64_t step = s.state.step + (beside ? 1 : 0);
  sync_target(spec, view, s, net, step);
  if (!beside && !learns_at(spec, step)) return true;
  if (thread_id() == 0) {
    s.plays = beside ? 1 : 0;
    s.updates_left = spec.gradient_steps;
  }
  do {
    net.ask_ahead();
    if (beside) {
      explore(spec, s);
    } else {
      __syncthreads();
      draw(spec, view, s, s.state.stored, progress_at(spec, s.state.step));
      meet_blocks(spec);
      gather<Net>(s.state.stored, false, 0, spec.candidates, thread_id(), kThreads);
      __syncthreads();
    }
    if (thread_id() == 0) begin_update(s);
    net.assess(s.plays != 0 && s.explores == 0);
    const bool good = learn_from_rows(spec, view, s, net, [&](Beside what, bool goes_on) {
      if (s.plays == 0) return;
      if (what == Beside::kPlay) {
        play_beside(spec, view, s);
      } else if (spec.replay == ReplayKind::kUniform) {
        prepare_rows<Net>(spec, s, what == Beside::kPrepare ? 0 : 1);
      } else if (what == Beside::kPrepare && goes_on) {
        prepare_priority(spec, view, s);
      }
    });
    if (!good) return false;
    beside = false;
  } while (s.updates_left > 0);
  return true;
}

// One step, or the rest of one; kNone if the slice continues.
template <class Net>
__device__ __forceinline__ SliceEnd one_step() {
  Net net;
  Shared& s = Net::shared();
  const AgentSpec& spec = s.spec;
  const AgentView& view = s.view;
  bool beside = false;
  if (s.state.phase == Phase::kCollect) {
    if (s.state.step >= s.stop) return SliceEnd::kRanOut;
    if (s.state.logged == kLogEntries) return SliceEnd::kLogFull;
    beside = is_ready(s);
    if (beside) {
      if (s.left_out[0] != 0 || s.left_out[1] != 0) {
        if (warp_id() == kActWarp) gather_newest(spec, s, net.boards());
        __syncthreads();  // before explore() takes the next action
      }
    } else {
      beside = may_play_beside(spec, s.state, s.state.step + 1) && draw_ahead<Net>(spec, view, s);
    }
    if (!beside) collect(spec, s, net);
  }
  if (s.state.phase == Phase::kEvaluate) {
    const std::int64_t due = evaluations_due(spec, s.state.step);
    const bool now = due > s.state.evaluations;
    if (now && ptx::cluster_rank() == 0) evaluate_policy<Net>();
    __syncthreads();
    if (thread_id() == 0) {
      s.state.evaluations = due;
      s.state.phase = Phase::kLearn;
    }
    __syncthreads();
    if (now) return SliceEnd::kEvaluated;
  }
  if (!beside) store(spec, view, s);
  if (!sync_and_learn(spec, view, s, net, beside)) return SliceEnd::kNonfinite;
  if (thread_id() == 0) s.state.phase = Phase::kCollect;
  __syncthreads();
  return SliceEnd::kNone;
}

// Starts a slice. spec and view are copied to shared memory: as kernel parameters are constant, the
// compiler would load all of them ahead of the loop and exhaust the registers.
__device__ inline void begin_slice(const AgentSpec& spec, const AgentView& view, std::int64_t stop,
                                   Shared& s) {
  copy_words(&spec, &s.spec, thread_id(), kThreads);
  copy_words(&view, &s.view, thread_id(), kThreads);
  copy_words(view.state, &s.state, thread_id(), kThreads);
  __syncthreads();
  if (thread_id() == 0) {
    s.state.logged = 0;
    s.stop = stop;
    s.ready[0] = s.ready[1] = 0;
    s.foreseen = s.looked = -1;
    s.may_end = s.must_end = 0;
    s.added = s.state.stored;
    s.view.tree.smem = s.tree_smem;
  }
  __syncthreads();
  s.view.tree.bring_near();
}

__device__ inline void end_slice(Shared& s) {
  __syncthreads();
  if (ptx::cluster_rank() == 0) copy_words(&s.state, s.view.state, thread_id(), kThreads);
}

// Steps until one would pass `stop`, an evaluation is made, the log is full or a value is
// non-finite.
template <AgentNet Net>
__device__ void run_slice(const AgentSpec& spec, const AgentView& view, std::int64_t stop) {
  Shared& s = Net::shared();
  begin_slice(spec, view, stop, s);
  Net().begin();
  SliceEnd end = SliceEnd::kNone;
  while (end == SliceEnd::kNone) end = one_step<Net>();
  Net().end();
  if (thread_id() == 0) s.state.end = end;
  end_slice(s);
}

}  // namespace tarl::fleet
