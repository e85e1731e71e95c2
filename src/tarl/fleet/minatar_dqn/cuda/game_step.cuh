// SPDX-License-Identifier: MIT
#pragma once

#include "tarl/agents/td_target.h"
#include "tarl/fleet/minatar_dqn/cuda/agent_view.cuh"
#include "tarl/fleet/minatar_dqn/play.h"
#include "tarl/train/schedules.h"

// An agent's game: choosing actions, stepping and looking ahead, by single threads or warps.
namespace tarl::fleet {

// One thread: draws whether the action is random, and which one. The draws of
// agents::DqnAgent::act.
__device__ inline bool random_action(const AgentSpec& spec, double epsilon, Rng& stream,
                                     std::int32_t& action) {
  if (!(epsilon > 0 && stream.uniform() < epsilon)) return false;
  action = static_cast<std::int32_t>(stream.below(static_cast<std::uint32_t>(spec.net.actions)));
  return true;
}

// One thread: the random draws of the agent's next step.
__device__ inline Chance draw_chance(const AgentSpec& spec, const AgentState& state) {
  Chance chance{state.explore, state.action, 1};
  if (state.step < spec.learning_starts) {
    chance.action = static_cast<std::int32_t>(
        chance.stream.below(static_cast<std::uint32_t>(spec.net.actions)));
  } else {
    const double epsilon = train::exploration_rate(state.step, spec.steps, spec.eps_initial,
                                                   spec.eps_final, spec.eps_fraction);
    chance.chooses = random_action(spec, epsilon, chance.stream, chance.action) ? 1 : 0;
  }
  return chance;
}

// Kept out of line: the code of five games, executed by a single lane.
static __device__ __noinline__ envs::minatar::Outcome move_game(const AgentSpec& spec, Play& play,
                                                                int action) {
  return move_play(spec, play, action);
}

static __device__ __noinline__ void restart_game(const AgentSpec& spec, Play& play) {
  restart_play(spec, play);
}

static __device__ __noinline__ void draw_game(const AgentSpec& spec, Play& play, std::byte* obs) {
  draw_play(spec, play, obs);
}

static __device__ __noinline__ envs::minatar::Outcome step_game(const AgentSpec& spec, Play& play,
                                                                int action, std::byte* obs) {
  const envs::minatar::Outcome outcome = move_game(spec, play, action);
  draw_game(spec, play, obs);
  return outcome;
}

static __device__ __noinline__ void reset_game(const AgentSpec& spec, Play& play, std::byte* obs) {
  restart_game(spec, play);
  draw_game(spec, play, obs);
}

// The step's action: the greedy one unless it explores.
__device__ inline int chosen_action(const AgentSpec& spec, const Shared& s) {
  return s.explores == 0 ? agents::greedy_action(s.act_q[0], spec.net.actions) : s.state.action;
}

// One thread makes the environment step.
__device__ inline void step_environment(const AgentSpec& spec, Shared& s) {
  AgentState& state = s.state;
  state.action = chosen_action(spec, s);
  const envs::minatar::Outcome outcome = step_game(spec, state.play, state.action, state.next_obs);
  state.reward = static_cast<float>(outcome.reward);
  state.terminal = outcome.terminal ? 1 : 0;
  ++state.step;
}

// One warp: whether `step` can end the episode, and whether it must. Lane a tries action a on a
// copy of the game. If `before` is not negative, the copy first makes the preceding step with that
// action.
static __device__ __noinline__ void look_ahead(const AgentSpec& spec, Shared& s, const Play& play,
                                               int before, std::int64_t step) {
  const auto move = [&](Play& copy) {
    if (before >= 0 && move_game(spec, copy, before).terminal) restart_game(spec, copy);
    return move_game(spec, copy, lane_id());
  };
  const bool there = lane_id() < spec.net.actions;
  const bool ends = there && would_end(spec, play, move);
  const bool some = __any_sync(kFullWarp, ends ? 1 : 0) != 0;
  const bool all = __all_sync(kFullWarp, ends || !there ? 1 : 0) != 0;
  if (lane_id() == 0) {
    s.may_end = some ? 1 : 0;
    s.must_end = all ? 1 : 0;
    s.looked = step;
  }
  __syncwarp();
}

}  // namespace tarl::fleet
