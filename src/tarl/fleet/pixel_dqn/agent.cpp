// SPDX-License-Identifier: MIT
#include "tarl/fleet/pixel_dqn/agent.h"

#include <algorithm>

#include "tarl/agents/dqn_state.h"
#include "tarl/agents/dueling.h"
#include "tarl/agents/td_target.h"
#include "tarl/fleet/pixel_dqn/specify.h"
#include "tarl/train/schedules.h"

namespace tarl::fleet::pixel_dqn {

namespace {

using rl::Metric;

template <class Float, class Some>
agents::TrainedArrays<Float> arrays_of(Some& numbers) {
  agents::TrainedArrays<Float> arrays{numbers.values.data(), numbers.target.data(), {}};
  for (auto& moment : numbers.moments) arrays.moments.push_back(moment.data());
  return arrays;
}

Numbers sized(const AgentPlan& plan, int moments) {
  const std::vector<float> zeros(plan.layout.size());
  return {zeros, zeros, std::vector(static_cast<std::size_t>(moments), zeros)};
}

}  // namespace

Agent::Agent(Device& device, const train::RunConfig& config, const rl::EnvSpec& spec,
             const StateReader& loop, const replay::Storage& replay)
    : LearningAgent(config, loop),
      replay_(replay),
      plan_(make_plan(config, spec)),
      optimizer_(agents::optimizer_of(config.agent.as<agents::DqnConfig>())),
      network_(device.make(plan_)),
      q_(static_cast<std::size_t>(plan_.actions)),
      rows_(static_cast<std::size_t>(plan_.candidates)),
      loose_(rows_.size() * static_cast<std::size_t>(plan_.frame_bytes())) {
  load(loop.group(train::kAgentGroup));
  fill();
}

void Agent::load(const StateReader& agent) {
  Numbers numbers = sized(plan_, optimizer_.states());
  agents::load_trained(plan_.layout, agent, optimizer_, arrays_of<float>(numbers),
                       agents::dqn_names());
  network_->upload(numbers);
}

void Agent::save(StateWriter& agent) const {
  Numbers numbers;
  network_->download(numbers);
  agents::save_trained(plan_.layout, optimizer_, arrays_of<const float>(numbers),
                       agents::dqn_names(), agent);
}

Tensors Agent::parameters() const {
  Numbers numbers;
  network_->download(numbers);
  return agents::dqn_parameters(plan_.layout, numbers.values.data());
}

// Copies the frames of a resumed run to the device.
void Agent::fill() {
  for (std::int64_t number = replay_.first_held(); number < replay_.count(); ++number) {
    network_->store(number, replay_.kept_frame(number), replay_.packed());
  }
}

void Agent::store(std::int64_t, const rl::Transition&) {
  const std::int64_t number = replay_.count() - 1;
  network_->store(number, replay_.kept_frame(number), replay_.packed());
}

// As DqnAgent::act(): a draw from the row's own stream decides before the network is evaluated.
bool Agent::draw_action(int row, const rl::ActMode& mode) {
  Rng& stream = wanted_.streams[static_cast<std::size_t>(row)];
  if (!(mode.epsilon > 0 && stream.uniform() < mode.epsilon)) return false;
  wanted_.actions[static_cast<std::size_t>(row)].index =
      static_cast<int>(stream.below(static_cast<unsigned>(plan_.actions)));
  return true;
}

void Agent::act(const train::WantedActions& wanted, const rl::ActMode& mode) {
  wanted_ = wanted;
  asked_.clear();
  act_obs_.clear();
  const std::size_t bytes = wanted.obs.size() / static_cast<std::size_t>(wanted.n);
  for (int row = 0; row < wanted.n; ++row) {
    if (draw_action(row, mode)) continue;
    asked_.push_back(row);
    const auto obs = wanted.obs.subspan(static_cast<std::size_t>(row) * bytes, bytes);
    act_obs_.insert(act_obs_.end(), obs.begin(), obs.end());
  }
  if (!asked_.empty()) network_->act(act_obs_, static_cast<int>(asked_.size()));
}

bool Agent::acted() {
  if (asked_.empty()) return true;
  if (!network_->acted()) return false;
  for (std::size_t i = 0; i < asked_.size(); ++i) {
    const float* q = network_->outputs(static_cast<int>(i));
    if (plan_.dueling) {
      agents::combine_dueling(q, plan_.actions, q_.data());
      q = q_.data();
    }
    wanted_.actions[static_cast<std::size_t>(asked_[i])].index =
        agents::greedy_action(q, plan_.actions);
  }
  return true;
}

void Agent::describe(std::int64_t slot, DrawnRow& row, std::byte* room) const {
  replay::FramesOfRow frames;
  frames.obs = std::span(row.obs).first(static_cast<std::size_t>(plan_.stack));
  replay_.locate_frames(slot, frames);
  row.next = frames.next;
  row.loose = {};
  if (frames.next == replay::FramesOfRow::kLoose) {
    replay_.next_frame(slot, room);
    row.loose = {room, static_cast<std::size_t>(plan_.frame_bytes())};
  }
  row.action = frames.action;
  row.reward = frames.reward;
  row.terminated = frames.terminated;
  row.discount = frames.terminated ? 0.0F : static_cast<float>(plan_.gamma);
}

void Agent::update(std::span<const std::int64_t> slots, double progress) {
  count_update();
  if (config_.learning_rate_schedule != train::Schedule::kConstant) {
    optimizer_.set_rate_share(train::rate_share(config_.learning_rate_schedule, progress));
  }
  const auto bytes = static_cast<std::size_t>(plan_.frame_bytes());
  for (std::size_t i = 0; i < slots.size(); ++i) {
    describe(slots[i], rows_[i], loose_.data() + i * bytes);
  }
  UpdateInput input{.rows = rows_, .rate = static_cast<float>(optimizer_.rate()), .adam = {}};
  if (plan_.optimizer.adam != 0) input.adam = optimizer_.next_sizes();
  network_->update(input);
}

bool Agent::updated(train::Means& means) {
  if (!network_->updated()) return false;
  const UpdateOutput& out = network_->output();
  refuse_bad_rows(out.choice, state_.updates, plan_.candidates);
  agents::require_finite_step(out.loss, out.grad_norm, plan_.batch);
  means.add(Metric::kLoss, out.loss);
  means.add(Metric::kGradNorm, out.grad_norm);
  means.add(Metric::kQMean, out.q_mean);
  if (plan_.scores) {
    add_choice(out.choice, plan_.candidates, plan_.batch, state_.target_lag, means);
  }
  optimizer_.count_step();
  return true;
}

void Agent::sync_target() {
  network_->sync_target();
  LearningAgent::sync_target();
}

}  // namespace tarl::fleet::pixel_dqn
