// SPDX-License-Identifier: MIT
#include "tarl/fleet/minatar_dqn/agent_image.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "tarl/agents/dqn_state.h"
#include "tarl/core/error.h"
#include "tarl/envs/minatar/play_state.h"
#include "tarl/fleet/minatar_dqn/play.h"
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
  AgentHead& head = image.head;
  image.storage.load(in.group(replay::kStorageGroup));
  head.stored = image.storage.count();
  std::ranges::copy(std::as_const(image.storage).rows().newest_next, head.newest_next);
  if (spec.replay == ReplayKind::kPer) {
    image.per = replay::ProportionalState::load(in.group(replay::kPrioritiesGroup), spec.capacity);
    head.max_priority = image.per.max_priority;
    head.new_weight = image.per.new_weight;
  } else if (spec.replay == ReplayKind::kReaper) {
    image.reaper = replay::ReaperState::load(in.group(replay::kPrioritiesGroup), spec.capacity, 1);
    const replay::ReaperLane& lane = image.reaper.lane.front();
    if (lane.arrived != head.stored) {
      throw Error("the saved ReaPER priorities do not fit the replay");
    }
    head.max_td = image.reaper.max_td;
    head.max_sum = image.reaper.max_sum;
    head.running = lane.running;
    head.episodes = image.reaper.episodes;
    head.entries = std::ssize(image.reaper.episode);
    head.free_entries = std::ssize(image.reaper.free_entries);
  }
}

// The environment's slot, of which a head keeps what differs between runs of MinAtar.
struct Slot {
  rl::Action action;
  rl::StepResult result;

  template <class State, class Head>
  State state(const AgentSpec& spec, Head& head) {
    const auto obs_bytes = static_cast<std::size_t>(spec.obs_bytes);
    return {head.explore, {head.obs, obs_bytes}, {head.next_obs, obs_bytes}, action,
            result,       head.episode_score,    head.episode_length};
  }
};

void load_slot(const AgentSpec& spec, const StateReader& in, AgentHead& head) {
  Slot slot;
  train::load(slot.state<train::EnvSlotState>(spec, head), in);
  head.action = slot.action.index;
  head.reward = slot.result.reward;
  head.terminal = slot.result.terminated ? 1 : 0;
  envs::minatar::load_play(in.group(train::kEnvGroup),
                           std::span(head.play.bytes, play_size(spec.game)), head.play.rng);
}

void save_slot(const AgentSpec& spec, const AgentHead& head, StateWriter& out) {
  Slot slot;
  slot.action.index = head.action;
  slot.result.reward = slot.result.score = head.reward;
  slot.result.terminated = slot.result.score_episode_over = head.terminal != 0;
  train::save(slot.state<train::ConstEnvSlotState>(spec, head), out);
  StateWriter env = out.group(train::kEnvGroup);
  envs::minatar::save_play(std::span(head.play.bytes, play_size(spec.game)), head.play.rng, env);
}

}  // namespace

AgentImage::AgentImage(const AgentSpec& spec)
    : storage(board_of(spec.net), {.count = spec.net.actions}, spec.capacity, 1) {
  std::memset(static_cast<void*>(&head), 0, sizeof head);
  head = AgentHead{};
  values.resize(static_cast<std::size_t>(spec.net.size));
  target.resize(values.size());
  for (int i = 0; i < spec.optimizer.moments(); ++i) moment[i].resize(values.size());
}

void AgentImage::set_head(const AgentHead& from) {
  head = from;
  storage.set_count(head.stored);
  const std::span<std::byte> newest = storage.rows().newest_next;
  std::copy_n(head.newest_next, newest.size(), newest.begin());
  per.max_priority = head.max_priority;
  per.new_weight = head.new_weight;
  reaper.max_td = head.max_td;
  reaper.max_sum = head.max_sum;
  reaper.episodes = head.episodes;
  reaper.lane = {{head.stored, head.running}};
}

AgentImage load_image(const AgentSpec& spec, const StateReader& in) {
  AgentImage image(spec);
  AgentHead& head = image.head;
  const auto position = train::LoopPosition::load(in);
  head.step = position.step;
  head.evaluations = position.evaluations;
  head.phase = position.phase;
  load_slot(spec, in.group(train::slot_group(0)), head);

  const auto learner = train::LearnerState::load(in.group(train::kLearnerGroup));
  head.sample = learner.sample_rng;
  head.noise = learner.noise_rng;
  head.updates = learner.updates;
  head.target_lag = learner.target_lag;

  with_network<float>(spec, image, [&](const auto& layout, auto& optimizer, const auto& arrays) {
    agents::load_trained(layout, in.group(train::kAgentGroup), optimizer, arrays,
                         agents::dqn_names());
    head.optimizer_steps = optimizer.steps();
  });
  load_replay(spec, in.group(train::kReplayGroup), image);
  return image;
}

void save_image(const AgentSpec& spec, const AgentImage& image, StateWriter& out) {
  const AgentHead& head = image.head;
  train::LoopPosition{head.step, head.evaluations, head.phase}.save(out);
  StateWriter slot = out.group(train::slot_group(0)), learner = out.group(train::kLearnerGroup);
  save_slot(spec, head, slot);
  const auto since_sync =
      spec.tau == 1.0 ? static_cast<std::int64_t>(head.target_lag) : head.updates;
  train::LearnerState{head.sample, head.noise, head.updates, since_sync, head.target_lag}.save(
      learner);

  with_network<const float>(
      spec, image, [&](const auto& layout, auto& optimizer, const auto& arrays) {
        StateWriter agent = out.group(train::kAgentGroup);
        optimizer.set_steps(head.optimizer_steps);
        agents::save_trained(layout, optimizer, arrays, agents::dqn_names(), agent);
      });

  const StateWriter memory = out.group(train::kReplayGroup);
  StateWriter storage = memory.group(replay::kStorageGroup);
  StateWriter priorities = memory.group(replay::kPrioritiesGroup);
  image.storage.save(storage);
  if (spec.replay == ReplayKind::kPer) image.per.save(priorities);
  if (spec.replay == ReplayKind::kReaper) image.reaper.save(priorities);
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

void load_means(const train::Means& means, AgentHead& head) {
  for (int i = 0; i < kAgentMetrics; ++i) head.sum[i] = means.total(static_cast<Metric>(i)).sum;
  head.count = means.total(Metric::kLoss).count;
  head.skipped = means.total(Metric::kSkippedUpdates).count;
}

void store_means(const AgentSpec& spec, const AgentHead& head, train::Means& means) {
  if (head.skipped > 0) {
    means.set(Metric::kSkippedUpdates, {static_cast<double>(head.skipped), head.skipped});
  }
  if (head.count == 0) return;
  const int metrics = spec.needs_scores != 0 ? kAgentMetrics : kUpdateMetrics;
  for (int i = 0; i < metrics; ++i) {
    means.set(static_cast<Metric>(i), {head.sum[i], head.count});
  }
}

}  // namespace tarl::fleet
