// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <vector>

#include "tarl/envs/mujoco/simulator.h"
#include "tarl/envs/mujoco/tasks.h"
#include "tarl/rl/environment.h"

namespace tarl::envs::mujoco {

// A MuJoCo task as an environment: noise at reset, actions scaled from [-1, 1], a time limit that
// truncates.
class MujocoEnv final : public rl::Environment {
 public:
  MujocoEnv(const Task& task, Rng rng, RendererKind renderer = RendererKind::kOwn);

  const rl::EnvSpec& spec() const override { return spec_; }

  std::optional<rl::Image> render(std::string& why) const override;
  std::optional<rl::Image> picture_of(std::span<const std::byte> obs,
                                      std::string& why) const override;
  void reset(std::span<std::byte> obs) override;
  rl::StepResult step(const rl::Action& action, std::span<std::byte> obs) override;
  void save(StateWriter& out) const override;
  void load(const StateReader& in) override;

 private:
  void write_obs(std::span<std::byte> out);
  double noise(double scale);  // uniform in +-scale

  const Task* task_;
  Rng rng_;
  RendererKind renderer_;
  Simulator simulator_;
  rl::EnvSpec spec_;
  std::int64_t steps_ = 0;
  std::vector<double> control_;
  std::vector<double> obs_;
};

}  // namespace tarl::envs::mujoco
