// SPDX-License-Identifier: MIT
#include "tarl/fleet/minatar_dqn/agent_image.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "tarl/agents/dqn_state.h"
#include "tarl/core/error.h"
#include "tarl/envs/minatar/play_state.h"
#include "tarl/fleet/minatar_dqn/play.h"
#include "tarl/replay/alignment_weight.h"
#include "tarl/train/env_slot.h"

namespace tarl::fleet {

namespace {

// Calls use(layout, optimizer, arrays) for the network of an image, which may be const.
template <class Float, class Image, class Use>
void with_network(const AgentSpec& spec, Image& image, Use use) {
  nn::Optimizer optimizer = optimizer_of(spec.optimizer);
  agents::TrainedArrays<Float> arrays{image.values.data(), image.target.data(), {}};
  for (int i = 0; i < optimizer.states(); ++i) arrays.moments.push_back(image.moment[i].data());
  use(layout_of(spec.net), optimizer, arrays);
}

void load_replay(const AgentSpec& spec, const StateReader& in, AgentImage& image) {
  AgentState& state = image.state;
  image.storage.load(in.group(replay::kStorageGroup));
  state.stored = image.storage.count();
  std::ranges::copy(std::as_const(image.storage).rows().newest_next, state.newest_next);
  if (spec.replay == ReplayKind::kPer) {
    image.per = replay::ProportionalState::load(in.group(replay::kPrioritiesGroup), spec.capacity);
    state.max_priority = image.per.max_priority;
    state.new_weight = image.per.new_weight;
  } else if (spec.replay == ReplayKind::kAlignment) {
    image.alignment =
        replay::AlignmentState::load(in.group(replay::kPrioritiesGroup), spec.capacity);
    state.new_weight = replay::alignment_weight(1, spec.priority_eps, spec.priority_alpha);
  } else if (spec.replay == ReplayKind::kReaper) {
    image.reaper = replay::ReaperState::load(in.group(replay::kPrioritiesGroup), spec.capacity, 1);
    const replay::ReaperLane& lane = image.reaper.lane.front();
    if (lane.arrived != state.stored) {
      throw Error("the saved ReaPER priorities do not fit the replay");
    }
    state.max_td = image.reaper.max_td;
    state.max_sum = image.reaper.max_sum;
    state.running = lane.running;
    state.episodes = image.reaper.episodes;
    state.entries = std::ssize(image.reaper.episode);
    state.free_entries = std::ssize(image.reaper.free_entries);
  }
}

// The environment slot; AgentState keeps only the part of it that varies in MinAtar.
struct Slot {
  rl::Action action;
  rl::StepResult result;

  template <class SlotState, class Agent>
  SlotState state(const AgentSpec& spec, Agent& agent) {
    const auto obs_bytes = static_cast<std::size_t>(spec.obs_bytes);
    return {agent.explore, {agent.obs, obs_bytes}, {agent.next_obs, obs_bytes}, action,
            result,        agent.episode_score,    agent.episode_length};
  }
};

void load_slot(const AgentSpec& spec, const StateReader& in, AgentState& state) {
  Slot slot;
  train::load(slot.state<train::EnvSlotState>(spec, state), in);
  state.action = slot.action.index;
  state.reward = slot.result.reward;
  state.terminal = slot.result.terminated ? 1 : 0;
  envs::minatar::load_play(in.group(train::kEnvGroup),
                           std::span(state.play.bytes, play_size(spec.game)), state.play.rng);
}

void save_slot(const AgentSpec& spec, const AgentState& state, StateWriter& out) {
  Slot slot;
  slot.action.index = state.action;
  slot.result.reward = slot.result.score = state.reward;
  slot.result.terminated = slot.result.score_episode_over = state.terminal != 0;
  train::save(slot.state<train::ConstEnvSlotState>(spec, state), out);
  StateWriter env = out.group(train::kEnvGroup);
  envs::minatar::save_play(std::span(state.play.bytes, play_size(spec.game)), state.play.rng, env);
}

}  // namespace

AgentImage::AgentImage(const AgentSpec& spec)
    : storage(board_of(spec.net), {.count = spec.net.actions}, spec.capacity, 1) {
  std::memset(static_cast<void*>(&state), 0, sizeof state);
  state = AgentState{};
  values.resize(static_cast<std::size_t>(spec.net.size));
  target.resize(values.size());
  for (int i = 0; i < spec.optimizer.moments(); ++i) moment[i].resize(values.size());
}

void AgentImage::set_state(const AgentState& from) {
  state = from;
  storage.set_count(state.stored);
  const std::span<std::byte> newest = storage.rows().newest_next;
  std::copy_n(state.newest_next, newest.size(), newest.begin());
  per.max_priority = state.max_priority;
  per.new_weight = state.new_weight;
  reaper.max_td = state.max_td;
  reaper.max_sum = state.max_sum;
  reaper.episodes = state.episodes;
  reaper.lane = {{state.stored, state.running}};
}

AgentImage load_image(const AgentSpec& spec, const StateReader& in) {
  AgentImage image(spec);
  AgentState& state = image.state;
  const auto position = train::LoopPosition::load(in);
  state.step = position.step;
  state.evaluations = position.evaluations;
  state.phase = position.phase;
  load_slot(spec, in.group(train::slot_group(0)), state);

  const auto learner = train::LearnerState::load(in.group(train::kLearnerGroup));
  state.sample = learner.sample_rng;
  state.noise = learner.noise_rng;
  state.updates = learner.updates;
  state.target_lag = learner.target_lag;

  with_network<float>(spec, image, [&](const auto& layout, auto& optimizer, const auto& arrays) {
    agents::load_trained(layout, in.group(train::kAgentGroup), optimizer, arrays,
                         agents::dqn_names());
    state.optimizer_steps = optimizer.steps();
  });
  load_replay(spec, in.group(train::kReplayGroup), image);
  return image;
}

void save_image(const AgentSpec& spec, const AgentImage& image, StateWriter& out) {
  const AgentState& state = image.state;
  train::LoopPosition{state.step, state.evaluations, state.phase}.save(out);
  StateWriter slot = out.group(train::slot_group(0)), learner = out.group(train::kLearnerGroup);
  save_slot(spec, state, slot);
  const auto since_sync =
      spec.tau == 1.0 ? static_cast<std::int64_t>(state.target_lag) : state.updates;
  train::LearnerState{state.sample, state.noise, state.updates, since_sync, state.target_lag}.save(
      learner);

  with_network<const float>(
      spec, image, [&](const auto& layout, auto& optimizer, const auto& arrays) {
        StateWriter agent = out.group(train::kAgentGroup);
        optimizer.set_steps(state.optimizer_steps);
        agents::save_trained(layout, optimizer, arrays, agents::dqn_names(), agent);
      });

  const StateWriter memory = out.group(train::kReplayGroup);
  StateWriter storage = memory.group(replay::kStorageGroup);
  StateWriter priorities = memory.group(replay::kPrioritiesGroup);
  image.storage.save(storage);
  if (spec.replay == ReplayKind::kPer) image.per.save(priorities);
  if (spec.replay == ReplayKind::kReaper) image.reaper.save(priorities);
  if (spec.replay == ReplayKind::kAlignment) image.alignment.save(priorities);
}

Tensors parameters_of(const AgentSpec& spec, const AgentImage& image) {
  return agents::dqn_parameters(layout_of(spec.net), image.values.data());
}

rl::Sample sample_of(const AgentSpec& spec, const AgentImage& image,
                     std::vector<std::int64_t> index, std::vector<float> weight) {
  const auto rows = static_cast<int>(index.size());
  rl::Sample sample{std::move(index), std::move(weight),
                    rl::Batch(board_of(spec.net), {.count = spec.net.actions}, rows)};
  image.storage.gather(sample.index, 1, spec.gamma, sample.batch);
  return sample;
}

void load_means(const train::Means& means, AgentState& state) {
  for (int i = 0; i < kAgentMetrics; ++i) state.sum[i] = means.total(static_cast<Metric>(i)).sum;
  state.count = means.total(Metric::kLoss).count;
  state.skipped = means.total(Metric::kSkippedUpdates).count;
}

void store_means(const AgentSpec& spec, const AgentState& state, train::Means& means) {
  if (state.skipped > 0) {
    means.set(Metric::kSkippedUpdates, {static_cast<double>(state.skipped), state.skipped});
  }
  if (state.count == 0) return;
  const int metrics = spec.needs_scores != 0 ? kAgentMetrics : kUpdateMetrics;
  for (int i = 0; i < metrics; ++i) {
    means.set(static_cast<Metric>(i), {state.sum[i], state.count});
  }
}

}  // namespace tarl::fleet
