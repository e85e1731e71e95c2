// SPDX-License-Identifier: MIT
#pragma once

#include <memory>
#include <optional>

#include "tarl/agents/sac_temperature.h"
#include "tarl/agents/td3.h"
#include "tarl/fleet/actor_critic/device.h"
#include "tarl/fleet/hosted/learning_agent.h"
#include "tarl/nn/optimizer.h"
#include "tarl/replay/storage.h"

namespace tarl::fleet::actor_critic {

// SAC, TD3 or DDPG with its networks on a device. Scalars stay on the host: counters, the position
// in the noise stream, the temperature. So does the choice of actions from the actor's outputs, by
// the CPU's functions.
class Agent final : public LearningAgent {
 public:
  // The config outlives the agent.
  Agent(Device& device, const train::RunConfig& config, const rl::EnvSpec& spec,
        const StateReader& loop, const replay::Storage& replay);

  void act(const train::WantedActions& wanted, const rl::ActMode& mode) override;
  bool acted() override;
  void store(std::int64_t slot, const rl::Transition& transition) override;
  void update(std::span<const std::int64_t> slots, double progress) override;
  bool updated(train::Means& means) override;
  void save(StateWriter& agent) const override;
  Tensors parameters() const override;

  // For tests.
  DeviceNetworks& networks() { return *networks_; }

 private:
  void load(const StateReader& agent);
  void fill(const replay::Storage& replay);
  void check(const UpdateOutput& out) const;
  void record(const UpdateOutput& out, train::Means& means) const;

  const AgentPlan plan_;
  nn::Arena arena_;
  std::optional<agents::Temperature> temperature_;  // SAC
  agents::Td3Counts td3_;
  nn::Optimizer actor_optimizer_, critic_optimizer_;
  std::unique_ptr<DeviceNetworks> networks_;
  rl::ActMode mode_;
  bool actor_due_ = true;  // in the pending update
  float alpha_ = 0;
  std::vector<float> row_;
};

}  // namespace tarl::fleet::actor_critic
