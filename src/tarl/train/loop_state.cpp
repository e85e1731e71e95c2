// SPDX-License-Identifier: MIT
//
// Saving and loading of Loop.
#include <cstring>
#include <string>

#include "tarl/train/loop.h"

namespace tarl::train {

namespace {

// With zeros, not chance, between its fields: the same state is the same bytes.
void put_result(StateWriter& out, const rl::StepResult& result) {
  rl::StepResult saved;
  std::memset(static_cast<void*>(&saved), 0, sizeof saved);
  saved.reward = result.reward;
  saved.terminated = result.terminated;
  saved.truncated = result.truncated;
  saved.score = result.score;
  saved.score_episode_over = result.score_episode_over;
  out.put("result", saved);
}

}  // namespace

void Loop::save(StateWriter& out) const {
  LoopPosition{step_, evaluations_, phase_}.save(out);
  journal_.save(out);
  for (std::size_t i = 0; i < lanes_.size(); ++i) {
    const Lane& lane = lanes_[i];
    StateWriter group = out.group("lane/" + std::to_string(i));
    group.put("explore", lane.explore);
    group.put("obs", lane.obs);
    group.put("next_obs", lane.next_obs);
    group.put("action", lane.action);
    put_result(group, lane.result);
    group.put("episode_score", lane.episode_score);
    group.put("episode_length", lane.episode_length);
    StateWriter env = group.group("env");
    lane.env->save(env);
  }
  const auto save_part = [&](const char* name, const auto& part) {
    StateWriter group = out.group(name);
    part.save(group);
  };
  save_part("learner", *learner_);
  save_part("agent", *agent_);
  save_part("replay", *replay_);
}

void Loop::load(const StateReader& in) {
  const LoopPosition position = LoopPosition::load(in);
  step_ = position.step;
  evaluations_ = position.evaluations;
  phase_ = position.phase;
  journal_.load(in);
  for (std::size_t i = 0; i < lanes_.size(); ++i) {
    Lane& lane = lanes_[i];
    const StateReader group = in.group("lane/" + std::to_string(i));
    group.get("explore", lane.explore);
    group.get("obs", lane.obs);
    group.get("next_obs", lane.next_obs);
    group.get("action", lane.action);
    group.get("result", lane.result);
    group.get("episode_score", lane.episode_score);
    group.get("episode_length", lane.episode_length);
    lane.env->load(group.group("env"));
  }
  learner_->load(in.group("learner"));
  agent_->load(in.group("agent"));
  replay_->load(in.group("replay"));
}

}  // namespace tarl::train
