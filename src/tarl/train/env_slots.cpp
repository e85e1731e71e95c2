// SPDX-License-Identifier: MIT
#include "tarl/train/env_slots.h"

#include <algorithm>
#include <cstring>
#include <new>
#include <numeric>
#include <string>

#include "tarl/train/nonfinite.h"

namespace tarl::train {

namespace {

constexpr std::size_t kMemoryAlignment = 128;  // a cache line of a device

constexpr const char* kPoolGroup = "pool";

std::size_t aligned(std::size_t bytes) {
  return (bytes + kMemoryAlignment - 1) / kMemoryAlignment * kMemoryAlignment;
}

}  // namespace

std::shared_ptr<std::byte> plain_memory(std::size_t bytes) {
  constexpr std::align_val_t kAlignment{kMemoryAlignment};
  return {static_cast<std::byte*>(::operator new(bytes, kAlignment)),
          [](std::byte* memory) { ::operator delete(memory, kAlignment); }};
}

EnvSlots::EnvSlots(const rl::MakeEnvironment& make, std::span<const SlotStreams> streams,
                   const AllocateMemory& allocate)
    : slots_(streams.size()), actions_(streams.size()) {
  for (std::size_t i = 0; i < streams.size(); ++i) {
    slots_[i].env = make(streams[i].env);
    explore_.push_back(streams[i].act);
  }
  spec_ = &slots_.front().env->spec();
  take_memory(allocate);
  for (int slot = 0; slot < size(); ++slot) at(slot).env->reset(row(obs_, slot));
}

EnvSlots::EnvSlots(const rl::MakePool& make, std::span<const SlotStreams> streams,
                   const AllocateMemory& allocate)
    : slots_(streams.size()), results_(streams.size()), actions_(streams.size()) {
  std::vector<Rng> env_streams;
  for (const SlotStreams& stream : streams) {
    env_streams.push_back(stream.env);
    explore_.push_back(stream.act);
  }
  pool_ = make(env_streams);
  spec_ = &pool_->spec();
  take_memory(allocate);
  std::vector<int> every(slots_.size());
  std::iota(every.begin(), every.end(), 0);
  pool_->reset(every, all(obs_));
}

void EnvSlots::take_memory(const AllocateMemory& allocate) {
  done_.reserve(slots_.size());
  obs_bytes_ = spec().obs.bytes();
  const std::size_t block = aligned(slots_.size() * obs_bytes_);
  memory_ = allocate(2 * block);
  obs_ = memory_.get();
  next_obs_ = obs_ + block;
  std::memset(obs_, 0, 2 * block);
}

EnvSlotState EnvSlots::state(int slot) {
  const auto i = static_cast<std::size_t>(slot);
  return {explore_[i],     row(obs_, slot),        row(next_obs_, slot),   actions_[i],
          at(slot).result, at(slot).episode_score, at(slot).episode_length};
}

ConstEnvSlotState EnvSlots::state(int slot) const {
  const auto i = static_cast<std::size_t>(slot);
  return {explore_[i],      row(obs_, slot),         row(next_obs_, slot),    actions_[i],
          slots_[i].result, slots_[i].episode_score, slots_[i].episode_length};
}

void EnvSlots::step(int slot) {
  at(slot).result =
      at(slot).env->step(actions_[static_cast<std::size_t>(slot)], row(next_obs_, slot));
}

void EnvSlots::step(Team& team) {
  if (!pool_) {
    // Each slot has its own environment and stream, so any thread may step it.
    team.run([&](int rank) {
      const Range mine = share(size(), rank, team.size());
      for (int slot = mine.begin; slot < mine.end; ++slot) step(slot);
    });
    return;
  }
  pool_->step(actions_, all(next_obs_), results_);
  for (std::size_t i = 0; i < slots_.size(); ++i) slots_[i].result = results_[i];
}

void EnvSlots::refuse_nonfinite(int slot, const std::string& env, std::int64_t step) const {
  const ConstEnvSlotState now = state(slot);
  // A bad first observation can be why an action, and with it the reward, is not finite either.
  const bool first = now.episode_length == 0 && nonfinite_part(spec().obs, now.obs, {}) != nullptr;
  const char* part =
      first ? "a first observation" : nonfinite_part(spec().obs, now.next_obs, now.result);
  if (part == nullptr) return;
  throw NonFiniteError("step " + std::to_string(step) + ": " + env + " gave " + part +
                       " that is not finite (environment " + std::to_string(slot) + ")");
}

rl::Transition EnvSlots::transition(int slot) const {
  const ConstEnvSlotState now = state(slot);
  return {.lane = slot,
          .obs = now.obs,
          .action = now.action,
          .reward = now.result.reward,
          .terminated = now.result.terminated,
          .truncated = now.result.truncated,
          .next_obs = now.next_obs};
}

std::span<const int> EnvSlots::end_step(
    const std::function<void(const FinishedEpisode&)>& finished) {
  done_.clear();
  for (int slot = 0; slot < size(); ++slot) {
    if (const auto episode = count_step(state(slot))) finished(*episode);
    if (at(slot).result.done()) done_.push_back(slot);
  }
  std::swap(obs_, next_obs_);
  return done_;
}

// The final observation stays with the last step; the next action is chosen for the first one of
// the new episode.
void EnvSlots::keep_final_obs(int slot) {
  const auto final_obs = row(obs_, slot);
  std::copy(final_obs.begin(), final_obs.end(), row(next_obs_, slot).begin());
}

void EnvSlots::reset(int slot) {
  keep_final_obs(slot);
  at(slot).env->reset(row(obs_, slot));
}

void EnvSlots::reset(std::span<const int> slots) {
  if (!pool_) {
    for (const int slot : slots) reset(slot);
    return;
  }
  if (slots.empty()) return;
  for (const int slot : slots) keep_final_obs(slot);
  pool_->reset(slots, all(obs_));
}

rl::Sample EnvSlots::transitions(double gamma) const {
  const rl::ActionSpec& action = spec().action;
  rl::Sample sample;
  sample.batch = rl::Batch(spec().obs, action, size());
  sample.batch.rows = size();
  std::copy(obs().begin(), obs().end(), sample.batch.obs.begin());
  std::copy(next_obs().begin(), next_obs().end(), sample.batch.next_obs.begin());
  for (std::size_t i = 0; i < slots_.size(); ++i) {
    const rl::StepResult& result = slots_[i].result;
    sample.index.push_back(static_cast<std::int64_t>(i));
    sample.weight.push_back(1);
    sample.batch.reward[i] = result.reward;
    sample.batch.discount[i] = result.terminated ? 0 : static_cast<float>(gamma);
    if (action.discrete()) {
      sample.batch.action_index[i] = actions_[i].index;
    } else {
      const auto values = static_cast<std::size_t>(action.size);
      std::copy_n(actions_[i].values.begin(), values, sample.batch.action.begin() + i * values);
    }
  }
  return sample;
}

void EnvSlots::save(StateWriter& out) const {
  for (int slot = 0; slot < size(); ++slot) {
    StateWriter group = out.group(slot_group(slot));
    train::save(state(slot), group);
    if (pool_) continue;
    StateWriter env = group.group(kEnvGroup);
    slots_[static_cast<std::size_t>(slot)].env->save(env);
  }
  if (!pool_) return;
  StateWriter group = out.group(kPoolGroup);
  pool_->save(group);
}

std::vector<int> EnvSlots::load(const StateReader& in) {
  for (int slot = 0; slot < size(); ++slot) {
    const StateReader group = in.group(slot_group(slot));
    train::load(state(slot), group);
    if (!pool_) at(slot).env->load(group.group(kEnvGroup));
  }
  return pool_ ? pool_->load(in.group(kPoolGroup)) : std::vector<int>{};
}

void EnvSlots::abandon(int slot, bool in_step) {
  if (in_step) {
    at(slot).result.truncated = true;
    at(slot).result.score_episode_over = true;
    return;
  }
  at(slot).episode_score = 0;
  at(slot).episode_length = 0;
  reset(std::span(&slot, 1));
}

}  // namespace tarl::train
