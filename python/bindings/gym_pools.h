// SPDX-License-Identifier: MIT
//
// The environments that a run trains in. Only the training thread steps Python environments.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "bindings/gym_environment.h"
#include <nanobind/nanobind.h>

#include "tarl/rl/environment_pool.h"

namespace tarl::python {

// Environments that are stepped one after another.
class GymLanes final : public rl::EnvironmentPool {
 public:
  GymLanes(const std::shared_ptr<GymTask>& task, std::span<const Rng> streams);

  const rl::EnvSpec& spec() const override { return lanes_.front()->spec(); }

  void reset(std::span<const int> places, std::span<std::byte> obs) override;
  void step(std::span<const rl::Action> actions, std::span<std::byte> obs,
            std::span<rl::StepResult> results) override;
  void save(StateWriter& out) const override;
  std::vector<int> load(const StateReader& in) override;

 private:
  std::vector<std::unique_ptr<GymEnvironment>> lanes_;
};

// A gymnasium.vector.VectorEnv that begins a new episode in the step that ends one, or on request
// (autoreset_mode SAME_STEP or DISABLED).
class GymVector final : public rl::EnvironmentPool, public Held {
 public:
  // Throws UsageError if it has more or fewer environments than there are streams.
  GymVector(std::shared_ptr<GymTask> task, std::span<const Rng> streams);
  ~GymVector() override;

  const rl::EnvSpec& spec() const override { return task_->spaces.spec(); }

  void reset(std::span<const int> places, std::span<std::byte> obs) override;
  void step(std::span<const rl::Action> actions, std::span<std::byte> obs,
            std::span<rl::StepResult> results) override;
  void save(StateWriter& out) const override;
  std::vector<int> load(const StateReader& in) override;

  int traverse(visitproc visit, void* arg) const override;
  void close() override;
  void clear() override;

 private:
  std::span<std::byte> row(std::span<std::byte> block, std::size_t place) const;
  std::int64_t draw(std::size_t place);
  void begin();
  void begin_some(std::span<const int> places);
  void finish_episode(std::size_t place, nanobind::handle infos, std::span<std::byte> obs,
                      rl::StepResult& result);
  void observe(nanobind::handle value);

  std::shared_ptr<GymTask> task_;
  nanobind::object vector_, step_;  // tarl._vector.Vector
  bool same_step_ = false;
  bool resumable_ = false;
  bool begun_ = false;
  std::vector<Rng> rngs_;           // [place]
  std::vector<std::byte> current_;  // [place] the next action is chosen for it
  std::vector<double> score_;       // [place] of the episode
};

}  // namespace tarl::python
