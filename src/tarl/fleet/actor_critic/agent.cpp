// SPDX-License-Identifier: MIT
#include "tarl/fleet/actor_critic/agent.h"

#include <algorithm>
#include <cstring>
#include <limits>

#include "tarl/agents/actor_critic/agent.h"
#include "tarl/agents/policy_math.h"
#include "tarl/core/error.h"
#include "tarl/fleet/actor_critic/specify.h"
#include "tarl/train/schedules.h"

namespace tarl::fleet::actor_critic {

namespace {

namespace ac = agents::actor_critic;
using rl::Metric;

constexpr std::int64_t kUploadRows = 256;  // of the replay, at a time

nn::Optimizer adam_of(const train::RunConfig& config) {
  return nn::Optimizer({.kind = nn::OptimizerKind::kAdam, .learning_rate = config.learning_rate()});
}

void resize(const NetsPlan& plan, NetsImage& to) {
  for (std::vector<float>* array : {&to.values, &to.first, &to.second}) {
    array->resize(plan.layout.size());
  }
  if (plan.has_target) to.target.resize(plan.layout.size());
}

template <class Float, class Numbers>
agents::TrainedArrays<Float> arrays_of(Numbers& numbers) {
  return {numbers.values.data(),
          numbers.target.empty() ? nullptr : numbers.target.data(),
          {numbers.first.data(), numbers.second.data()}};
}

}  // namespace

Agent::Agent(Device& device, const train::RunConfig& config, const rl::EnvSpec& spec,
             const StateReader& loop, const replay::Storage& replay)
    : LearningAgent(config, loop),
      plan_(make_plan(config, spec)),
      actor_optimizer_(adam_of(config)),
      critic_optimizer_(adam_of(config)),
      networks_(device.make(plan_)),
      row_(static_cast<std::size_t>(plan_.row_floats())) {
  if (plan_.sac) temperature_.emplace(config.agent.as<agents::SacConfig>(), arena_);
  load(loop.group(train::kAgentGroup));
  fill(replay);
}

void Agent::load(const StateReader& agent) {
  Networks numbers;
  resize(plan_.actor, numbers.actor);
  resize(plan_.critics, numbers.critics);
  agents::load_trained(plan_.actor.layout, agent, actor_optimizer_, arrays_of<float>(numbers.actor),
                       ac::group_names(ac::kActorPrefix));
  agents::load_trained(plan_.critics.layout, agent, critic_optimizer_,
                       arrays_of<float>(numbers.critics), ac::group_names(ac::kCriticPrefix));
  if (temperature_) {
    temperature_->load(agent);
  } else {
    td3_ = agents::Td3Counts::load(agent);
  }
  networks_->upload(numbers);
}

void Agent::save(StateWriter& agent) const {
  Networks numbers;
  networks_->download(numbers);
  agents::save_trained(plan_.actor.layout, actor_optimizer_, arrays_of<const float>(numbers.actor),
                       ac::group_names(ac::kActorPrefix), agent);
  agents::save_trained(plan_.critics.layout, critic_optimizer_,
                       arrays_of<const float>(numbers.critics), ac::group_names(ac::kCriticPrefix),
                       agent);
  if (temperature_) {
    temperature_->save(agent);
  } else {
    td3_.save(agent);
  }
}

Tensors Agent::parameters() const {
  Networks numbers;
  networks_->download(numbers);
  Tensors out;
  nn::export_tensors(plan_.actor.layout, numbers.actor.values.data(), ac::kActorPrefix, out);
  nn::export_tensors(plan_.critics.layout, numbers.critics.values.data(), ac::kCriticPrefix, out);
  if (temperature_) temperature_->put_parameters(out);
  return out;
}

// Copies the replay of a resumed run to the device.
void Agent::fill(const replay::Storage& replay) {
  const rl::ObsSpec obs{.kind = rl::ObsKind::kFloats, .width = plan_.obs};
  rl::Batch batch(obs, {.size = plan_.actions}, kUploadRows);
  std::vector<std::int64_t> slots;
  for (std::int64_t begin = 0; begin < replay.size(); begin += kUploadRows) {
    slots.clear();
    for (std::int64_t slot = begin; slot < std::min(begin + kUploadRows, replay.size()); ++slot) {
      slots.push_back(slot);
    }
    replay.gather(slots, 1, plan_.gamma, batch);
    for (std::size_t i = 0; i < slots.size(); ++i) {
      const int row = static_cast<int>(i);
      float* to = row_.data();
      std::memcpy(to, batch.obs_row(row), batch.obs_bytes);
      to = std::copy_n(batch.action.begin() + std::ptrdiff_t{row} * plan_.actions, plan_.actions,
                       to + plan_.obs);
      std::memcpy(to, batch.next_obs_row(row), batch.obs_bytes);
      to[plan_.obs] = batch.reward[i];
      to[plan_.obs + 1] = batch.discount[i];
      networks_->store(slots[i], row_);
    }
  }
}

void Agent::store(std::int64_t slot, const rl::Transition& transition) {
  float* to = row_.data();
  std::memcpy(to, transition.obs.data(), transition.obs.size());
  to = std::copy_n(transition.action.values.begin(), plan_.actions, to + plan_.obs);
  if (transition.terminated) {  // the next observation is unused; zero, as in replay::Storage
    std::fill_n(to, plan_.obs, 0.0F);
  } else {
    std::memcpy(to, transition.next_obs.data(), transition.next_obs.size());
  }
  to[plan_.obs] = transition.reward;
  to[plan_.obs + 1] = transition.terminated ? 0.0F : static_cast<float>(plan_.gamma);
  networks_->store(slot, row_);
}

void Agent::act(const train::WantedActions& wanted, const rl::ActMode& mode) {
  wanted_ = wanted;
  mode_ = mode;
  networks_->act(wanted.obs, wanted.n);
}

bool Agent::acted() {
  if (!networks_->acted()) return false;
  for (int row = 0; row < wanted_.n; ++row) {
    const auto at = static_cast<std::size_t>(row);
    float* out = wanted_.actions[at].values.data();
    if (temperature_) {
      agents::choose_squashed(networks_->heads(row), plan_.actions, mode_.explore,
                              wanted_.streams[at], out);
    } else {
      agents::choose_noisy(networks_->heads(row), plan_.actions, mode_.explore,
                           config_.agent.as<agents::Td3Config>().action_noise, wanted_.streams[at],
                           out);
    }
  }
  return true;
}

void Agent::update(std::span<const std::int64_t> slots, double progress) {
  count_update();
  if (config_.learning_rate_schedule != train::Schedule::kConstant) {
    const double share = train::rate_share(config_.learning_rate_schedule, progress);
    actor_optimizer_.set_rate_share(share);
    critic_optimizer_.set_rate_share(share);
    if (temperature_) temperature_->set_rate_share(share);
  }
  actor_due_ =
      temperature_ ||
      agents::actor_is_due(td3_.updates + 1, config_.agent.as<agents::Td3Config>().policy_delay);
  UpdateInput input;
  input.slots = slots;
  input.noise = state_.noise_rng;
  if (temperature_) {
    alpha_ = static_cast<float>(temperature_->alpha());
    input.alpha = alpha_;
    input.log_alpha = temperature_->log_alpha();
  }
  input.critics = critic_optimizer_.next_sizes();
  input.actor = actor_optimizer_.next_sizes();
  input.actor_due = actor_due_;
  // TD3's targets move with the actor.
  input.moves_targets = actor_due_ && state_.updates % config_.target_update_interval == 0;
  const std::uint64_t noises = temperature_ ? 2 : 1;  // for next actions, and for the policy's
  state_.noise_rng.counter += noises * static_cast<std::uint64_t>(plan_.candidates) *
                              static_cast<std::uint64_t>(ac::noise_blocks(plan_.actions));
  networks_->update(input);
}

bool Agent::updated(train::Means& means) {
  if (!networks_->updated()) return false;
  const UpdateOutput& out = networks_->output();
  check(out);
  record(out, means);
  critic_optimizer_.count_step();
  if (actor_due_) actor_optimizer_.count_step();
  if (temperature_) {
    if (temperature_->learned()) temperature_->step(out.entropy_gap, plan_.batch);
  } else {
    ++td3_.updates;
    td3_.actor_learned = actor_due_;
  }
  // Only counted: the update itself has moved the targets.
  if (state_.updates % config_.target_update_interval == 0) sync_target();
  return true;
}

void Agent::check(const UpdateOutput& out) const {
  refuse_bad_rows(out.choice, state_.updates, plan_.candidates);
  const auto norm = [](int is_bad) {
    return is_bad != 0 ? std::numeric_limits<double>::infinity() : 0.0;
  };
  ac::require_finite(ac::kCriticLossName, out.critic_loss, plan_.batch);
  ac::require_finite(ac::kCriticNormName, norm(out.bad_critics), plan_.batch);
  ac::require_finite(ac::kTemperatureLossName, out.temperature_loss, plan_.batch);
  ac::require_finite(ac::kActorLossName, out.actor_loss, plan_.batch);
  ac::require_finite(ac::kActorNormName, norm(out.bad_actor), plan_.batch);
}

// In the order of train::Learner.
void Agent::record(const UpdateOutput& out, train::Means& means) const {
  if (temperature_) {
    means.add(Metric::kActorLoss, out.actor_loss);
    means.add(Metric::kCriticLoss, out.critic_loss);
    means.add(Metric::kEntropyCoefficient, static_cast<double>(alpha_));
    if (temperature_->learned()) means.add(Metric::kEntropyCoefficientLoss, out.temperature_loss);
  } else {
    means.add(Metric::kCriticLoss, out.critic_loss);
    if (actor_due_) means.add(Metric::kActorLoss, out.actor_loss);
  }
  if (!plan_.scores) return;
  add_choice(out.choice, plan_.candidates, plan_.batch, state_.target_lag, means);
}

}  // namespace tarl::fleet::actor_critic
