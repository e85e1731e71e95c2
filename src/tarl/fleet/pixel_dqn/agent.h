// SPDX-License-Identifier: MIT
#pragma once

#include <memory>
#include <vector>

#include "tarl/fleet/hosted/learning_agent.h"
#include "tarl/fleet/pixel_dqn/device.h"
#include "tarl/nn/optimizer.h"
#include "tarl/replay/storage.h"

namespace tarl::fleet::pixel_dqn {

// DQN or double DQN with its network on a device. Counters and draws stay on the host: for an
// action drawn at random, the network is not evaluated.
class Agent final : public LearningAgent {
 public:
  // The config and the replay, of whose frames the device has copies, outlive the agent.
  Agent(Device& device, const train::RunConfig& config, const rl::EnvSpec& spec,
        const StateReader& loop, const replay::Storage& replay);

  bool acts_beside_updates() const override { return true; }

  void act(const train::WantedActions& wanted, const rl::ActMode& mode) override;
  bool acted() override;
  void store(std::int64_t slot, const rl::Transition& transition) override;
  void update(std::span<const std::int64_t> slots, double progress) override;
  bool updated(train::Means& means) override;
  void sync_target() override;
  void save(StateWriter& agent) const override;
  Tensors parameters() const override;

  // For tests.
  DeviceNetwork& network() { return *network_; }

 private:
  void load(const StateReader& agent);
  void fill();
  bool draw_action(int row, const rl::ActMode& mode);
  void describe(std::int64_t slot, DrawnRow& row, std::byte* room) const;

  const replay::Storage& replay_;
  const AgentPlan plan_;
  nn::Optimizer optimizer_;
  std::unique_ptr<DeviceNetwork> network_;
  std::vector<int> asked_;          // rows whose actions the network chooses
  std::vector<std::byte> act_obs_;  // their observations
  std::vector<float> q_;
  std::vector<DrawnRow> rows_;
  std::vector<std::byte> loose_;  // [candidates] frames that are in no row of the replay
};

}  // namespace tarl::fleet::pixel_dqn
