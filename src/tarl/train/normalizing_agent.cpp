// SPDX-License-Identifier: MIT
#include "tarl/train/normalizing_agent.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <utility>

#include "tarl/core/error.h"

namespace tarl::train {

namespace {

constexpr const char* kObsMoments = "normalize.obs";
constexpr const char* kReturnMoments = "normalize.return";
constexpr const char* kReturns = "normalize.returns";

float float_at(std::span<const std::byte> bytes, std::size_t i) {
  float value = 0;
  std::memcpy(&value, bytes.data() + i * sizeof value, sizeof value);
  return value;
}

}  // namespace

NormalizingAgent::NormalizingAgent(std::unique_ptr<rl::Agent> agent, const NormalizeConfig& config,
                                   int obs_size, int envs)
    : agent_(std::move(agent)),
      config_(config),
      obs_moments_(static_cast<std::size_t>(obs_size)),
      return_moments_(1),
      returns_(static_cast<std::size_t>(envs), 0.0) {}

void NormalizingAgent::normalize(std::span<const std::byte> obs, std::span<std::byte> out) const {
  const auto mean = obs_moments_.mean(), var = obs_moments_.var();
  for (std::size_t i = 0; i < obs.size() / sizeof(float); ++i) {
    const std::size_t at = i % mean.size();
    const double scaled =
        (double{float_at(obs, i)} - mean[at]) / std::sqrt(var[at] + config_.epsilon);
    const auto value = static_cast<float>(std::clamp(scaled, -config_.clip_obs, config_.clip_obs));
    std::memcpy(out.data() + i * sizeof value, &value, sizeof value);
  }
}

void NormalizingAgent::act(std::span<const std::byte> obs, int n, const rl::ActMode& mode,
                           std::span<Rng> streams, std::span<rl::Action> out) {
  if (!config_.obs) return agent_->act(obs, n, mode, streams, out);
  acted_on_.resize(obs.size());
  normalize(obs, acted_on_);
  agent_->act(acted_on_, n, mode, streams, out);
}

const rl::Assessment& NormalizingAgent::assess(const rl::Batch& batch, bool with_online_target,
                                               Rng& rng) {
  batch_ = batch;
  const auto rows = static_cast<std::size_t>(batch.rows), bytes = rows * batch.obs_bytes;
  if (config_.obs) {
    normalize(std::span(batch.obs).first(bytes), batch_.obs);
    normalize(std::span(batch.next_obs).first(bytes), batch_.next_obs);
  }
  if (config_.reward) {
    const double scale = std::sqrt(return_moments_.var()[0] + config_.epsilon);
    for (float& reward : std::span(batch_.reward).first(rows)) {
      const double scaled = double{reward} / scale;
      // Comparisons with NaN are false: a NaN stays one, and the learner detects it.
      reward = static_cast<float>(std::clamp(scaled, -config_.clip_reward, config_.clip_reward));
    }
  }
  return agent_->assess(batch_, with_online_target, rng);
}

const rl::UpdateStats& NormalizingAgent::update(std::span<const std::int32_t> kept,
                                                std::span<const float> weight, Rng& rng) {
  return agent_->update(kept, weight, rng);
}

void NormalizingAgent::set_rate_share(double share) {
  agent_->set_rate_share(share);
}

void NormalizingAgent::observe(std::span<const std::byte> obs, std::span<const float> rewards,
                               std::span<const bool> over) {
  if (config_.obs) {
    rows_.clear();
    const std::size_t size = obs_moments_.mean().size();
    for (std::size_t begin = 0; begin < obs.size() / sizeof(float); begin += size) {
      bool finite = true;  // a run that continues after a NaN must not keep it forever
      for (std::size_t i = begin; i < begin + size; ++i) {
        rows_.push_back(double{float_at(obs, i)});
        finite = finite && std::isfinite(rows_.back());
      }
      if (!finite) rows_.resize(rows_.size() - size);
    }
    if (!rows_.empty()) obs_moments_.add(rows_);
  }
  if (!config_.reward || rewards.empty()) return;
  require(rewards.size() == returns_.size() && over.size() == returns_.size(),
          "a reward for each environment");
  for (std::size_t env = 0; env < returns_.size(); ++env) {
    const double reward = std::isfinite(rewards[env]) ? double{rewards[env]} : 0;
    returns_[env] = returns_[env] * config_.gamma + reward;
  }
  return_moments_.add(returns_);
  for (std::size_t env = 0; env < returns_.size(); ++env) {
    if (over[env]) returns_[env] = 0;
  }
}

void NormalizingAgent::sync_target(double tau) {
  agent_->sync_target(tau);
}

void NormalizingAgent::save_moments(StateWriter& out) const {
  if (config_.obs) obs_moments_.save(kObsMoments, out);
  if (config_.reward) return_moments_.save(kReturnMoments, out);
}

void NormalizingAgent::load_moments(const StateReader& in) {
  if (config_.obs) obs_moments_.load(kObsMoments, in);
  if (config_.reward) return_moments_.load(kReturnMoments, in);
}

Tensors NormalizingAgent::parameters() const {
  Tensors tensors = agent_->parameters();
  StateWriter out(tensors);
  save_moments(out);
  return tensors;
}

void NormalizingAgent::set_parameters(const StateReader& in) {
  agent_->set_parameters(in);
  load_moments(in);
}

void NormalizingAgent::save(StateWriter& out) const {
  agent_->save(out);
  save_moments(out);
  if (config_.reward) out.put(kReturns, returns_);
}

void NormalizingAgent::load(const StateReader& in) {
  agent_->load(in);
  load_moments(in);
  if (config_.reward) in.get(kReturns, returns_);
}

double NormalizingAgent::update_flops(int candidates, int kept, bool with_online_target) const {
  return agent_->update_flops(candidates, kept, with_online_target);
}

}  // namespace tarl::train
