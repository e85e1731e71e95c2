// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "tarl/core/error.h"
#include "tarl/core/rng.h"
#include "tarl/core/state.h"
#include "tarl/rl/batch.h"
#include "tarl/rl/metrics.h"

namespace tarl::rl {

// How to act. `epsilon` is the probability of a uniformly random action (agents with a stochastic
// policy ignore it in training); `explore` is false in evaluation.
struct ActMode {
  bool explore = true;
  double epsilon = 0;
};

// What every value-based agent can say about a batch: per critic the prediction for the action
// taken and the two bootstrapped targets. Valid until the next assess().
struct Assessment {
  int rows = 0;
  int critics = 1;
  std::span<const float> q;          // [critics][rows]
  std::span<const float> y_online;   // [critics][rows]; empty unless asked for
  std::span<const float> y_offline;  // [critics][rows]
  std::span<const float> abs_error;  // [rows] mean over critics of |error the update regresses on|
};

// What one update reports for the logs.
using UpdateStats = std::vector<std::pair<Metric, double>>;

// A learner of action values. Knows nothing of alignment, schedules or time.
class Agent {
 public:
  virtual ~Agent() = default;

  // Actions for n observations, stored one after another. Each row draws from its own stream.
  virtual void act(std::span<const std::byte> obs, int n, const ActMode& mode,
                   std::span<Rng> streams, std::span<Action> out) = 0;

  // Runs the networks on a batch and keeps the activations for update(). The online target
  // costs extra passes and is computed only when asked for. The batch must outlive update().
  // `rng` feeds sampled next actions (SAC, TD3); DQN draws nothing.
  virtual const Assessment& assess(const Batch& batch, bool with_online_target, Rng& rng) = 0;

  // One optimiser step on the given rows of the last assessed batch, the loss of row kept[i]
  // multiplied by weight[i], divided by kept.size().
  virtual const UpdateStats& update(std::span<const std::int32_t> kept,
                                    std::span<const float> weight, Rng& rng) = 0;

  // The fraction of the learning rates that updates use from now on. Called before each update of a
  // run with a schedule.
  virtual void set_rate_share(double share);

  // The outcome of a step of the run's environments, for agents that keep statistics of it: n next
  // observations, one after another, the rewards of the step, and in `over` which episodes ended;
  // the latter two are empty for the run's first observations.
  virtual void observe(std::span<const std::byte> /*obs*/, std::span<const float> /*rewards*/,
                       std::span<const bool> /*over*/) {}

  // target <- (1 - tau) target + tau online; tau = 1 copies.
  virtual void sync_target(double tau) = 0;

  // Parameters under their public names, in PyTorch's layout, for model.safetensors.
  virtual Tensors parameters() const = 0;
  virtual void set_parameters(const StateReader& in) = 0;

  // Everything: parameters, target, optimiser.
  virtual void save(StateWriter& out) const = 0;
  virtual void load(const StateReader& in) = 0;

  // FLOPs of one assess + update, counted densely, for the benchmark; 0 if not counted.
  virtual double update_flops(int /*candidates*/, int /*kept*/, bool /*with_online_target*/) const {
    return 0;
  }
};

inline void Agent::set_rate_share(double share) {
  if (share != 1.0) {
    throw UsageError("this agent has no learning_rate_schedule; leave it at constant");
  }
}

}  // namespace tarl::rl
