// SPDX-License-Identifier: MIT
#pragma once

#include <memory>
#include <vector>

#include "fixtures/operations.h"

#include "tarl/fleet/minatar_dqn/agent_image.h"

// Operations of the fleet's kernels, one at a time, on the device.
namespace tarl::fleet::test {

fixtures::Aligner::Rows score_rows(const std::vector<double>& online,
                                   const std::vector<double>& offline);

// The m best, ascending. At most kMaxCandidates.
std::vector<std::int32_t> choose_best(const std::vector<double>& score, int m);

// `spec` has the game, its sticky actions and its ramping.
fixtures::Played play_script(const AgentSpec& spec, const fixtures::PlayScript& script);

// An agent's replay. At most kMaxCandidates rows at a time.
class DeviceReplay {
 public:
  virtual ~DeviceReplay() = default;
  virtual void add(bool done) = 0;
  virtual void update(const std::vector<std::int64_t>& slots,
                      const std::vector<double>& errors) = 0;
  // One draw per mass, given as a fraction of the total. Does not return probabilities.
  virtual fixtures::ReplayPriorities::Drawn find(const std::vector<double>& shares, double beta,
                                                 const std::vector<std::int64_t>& kept) = 0;
  virtual AgentImage image() = 0;
};

std::unique_ptr<DeviceReplay> make_device_replay(const AgentSpec& spec, const AgentImage& image);

}  // namespace tarl::fleet::test
