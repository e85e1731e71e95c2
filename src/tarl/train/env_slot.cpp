// SPDX-License-Identifier: MIT
#include "tarl/train/env_slot.h"

#include <cstring>
#include <string>

namespace tarl::train {

namespace {

// Padding is zero, not indeterminate: equal states are equal bytes.
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

std::vector<SlotStreams> forked(const Rng& from, int slots, const std::string& act) {
  std::vector<SlotStreams> streams;
  for (int slot = 0; slot < slots; ++slot) {
    const std::string number = std::to_string(slot);
    streams.push_back({from.fork("env/" + number), from.fork(act + number)});
  }
  return streams;
}

}  // namespace

std::vector<SlotStreams> training_streams(const Rng& run, int slots) {
  return forked(run, slots, "explore/");
}

std::vector<SlotStreams> evaluation_streams(const Rng& evaluation, int slots) {
  return forked(evaluation, slots, "act/");
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

std::string slot_group(int slot) {
  return "lane/" + std::to_string(slot);
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
