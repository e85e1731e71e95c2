// SPDX-License-Identifier: MIT
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "tarl/rl/agent.h"
#include "tarl/train/normalize_config.h"
#include "tarl/train/running_moments.h"

namespace tarl::train {

// An agent that sees observations and rewards as Stable-Baselines3's VecNormalize gives them:
//   obs     clip((obs - mean) / sqrt(var + epsilon))         moments of the observations so far
//   reward  clip(reward / sqrt(var of the return + epsilon))  return = gamma return + reward
// Only observe() updates the moments, with training steps: evaluations leave them alone. The replay
// holds raw observations and rewards; batches are normalised when they are learned from, with the
// current moments.
class NormalizingAgent final : public rl::Agent {
 public:
  // For observations of `obs_size` floats from `envs` parallel environments.
  NormalizingAgent(std::unique_ptr<rl::Agent> agent, const NormalizeConfig& config, int obs_size,
                   int envs);

  void act(std::span<const std::byte> obs, int n, const rl::ActMode& mode, std::span<Rng> streams,
           std::span<rl::Action> out) override;
  const rl::Assessment& assess(const rl::Batch& batch, bool with_online_target, Rng& rng) override;
  const rl::UpdateStats& update(std::span<const std::int32_t> kept, std::span<const float> weight,
                                Rng& rng) override;
  void set_rate_share(double share) override;
  void observe(std::span<const std::byte> obs, std::span<const float> rewards,
               std::span<const bool> over) override;
  void sync_target(double tau) override;

  // The agent's and the moments, as normalize.obs_mean, normalize.obs_var and so on.
  Tensors parameters() const override;
  void set_parameters(const StateReader& in) override;
  void save(StateWriter& out) const override;
  void load(const StateReader& in) override;
  double update_flops(int candidates, int kept, bool with_online_target) const override;

 private:
  void normalize(std::span<const std::byte> obs, std::span<std::byte> out) const;
  void save_moments(StateWriter& out) const;
  void load_moments(const StateReader& in);

  std::unique_ptr<rl::Agent> agent_;
  NormalizeConfig config_;
  RunningMoments obs_moments_, return_moments_;
  std::vector<double> returns_;  // [envs] of the episodes in progress, discounted
  std::vector<double> rows_;
  std::vector<std::byte> acted_on_;
  rl::Batch batch_;
};

}  // namespace tarl::train
