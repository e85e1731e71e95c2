// SPDX-License-Identifier: MIT
#include "tarl/train/env_slot.h"

#include <cstring>
#include <string>

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

SlotStreams training_streams(const Rng& run, int slot) {
  const std::string number = std::to_string(slot);
  return {run.fork("env/" + number), run.fork("explore/" + number)};
}

SlotStreams evaluation_streams(const Rng& evaluation, int slot) {
  const std::string number = std::to_string(slot);
  return {evaluation.fork("env/" + number), evaluation.fork("act/" + number)};
}

void save(const ConstEnvSlotState& slot, StateWriter& out) {
  out.put("explore", slot.explore);
  out.put("obs", slot.obs);
  out.put("next_obs", slot.next_obs);
  out.put("action", slot.action);
  put_result(out, slot.result);
  out.put("episode_score", slot.episode_score);
  out.put("episode_length", slot.episode_length);
}

void load(const EnvSlotState& slot, const StateReader& in) {
  in.get("explore", slot.explore);
  in.get("obs", slot.obs);
  in.get("next_obs", slot.next_obs);
  in.get("action", slot.action);
  in.get("result", slot.result);
  in.get("episode_score", slot.episode_score);
  in.get("episode_length", slot.episode_length);
}

EnvSlot::EnvSlot(const rl::MakeEnvironment& make, const SlotStreams& streams)
    : env(make(streams.env)),
      explore(streams.act),
      obs(env->spec().obs.bytes()),
      next_obs(obs.size()) {
  env->reset(obs);
}

std::string slot_group(std::size_t slot) {
  return "lane/" + std::to_string(slot);
}

void save(const EnvSlot& slot, StateWriter& out) {
  save(slot.state(), out);
  StateWriter env = out.group("env");
  slot.env->save(env);
}

void load(EnvSlot& slot, const StateReader& in) {
  load(slot.state(), in);
  slot.env->load(in.group("env"));
}

std::optional<FinishedEpisode> count_step(const EnvSlotState& slot) {
  slot.episode_score += slot.result.score;
  ++slot.episode_length;
  if (!slot.result.score_episode_over) return std::nullopt;
  const FinishedEpisode episode{slot.episode_score, slot.episode_length};
  slot.episode_score = 0;
  slot.episode_length = 0;
  return episode;
}

}  // namespace tarl::train
