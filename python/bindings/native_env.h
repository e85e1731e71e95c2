// SPDX-License-Identifier: MIT
//
// Environments written in C++, with the interface of Gymnasium.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <nanobind/nanobind.h>

#include "tarl/envs/registry.h"
#include "tarl/rl/environment.h"

namespace tarl::python {

// The specification of environments: an entry, in a registry or not, and its settings.
class Task {
 public:
  Task(envs::Entry entry, const envs::EnvConfig& config);

  const std::string& name() const { return entry_.name; }

  // A fresh environment, determined only by the seed and the actions.
  std::unique_ptr<rl::Environment> make(std::uint64_t seed) const;

 private:
  envs::Entry entry_;
  envs::EnvConfig config_;
};

// An environment, its last observation and the state of its episode.
class Lane {
 public:
  Lane(const Task& task, std::uint64_t seed);

  const rl::EnvSpec& spec() const { return env_->spec(); }

  bool started() const { return started_; }

  // Whether reset() must come next.
  bool over() const { return over_; }

  // Starts over: nothing of the previous state remains.
  void seed(const Task& task, std::uint64_t seed);

  void reset();
  rl::StepResult step(const rl::Action& action);  // requires !over()

  // The last observation in Python's layout.
  void show(std::span<std::byte> plain) const;

  // [height][width][3]. Throws Error if there is nothing to see.
  nanobind::object render() const;

  void save(StateWriter& out) const;
  void load(const StateReader& in);

 private:
  std::unique_ptr<rl::Environment> env_;
  std::vector<std::byte> obs_;
  bool started_ = false;
  bool over_ = true;
};

using Description = nanobind::typed<nanobind::dict, nanobind::str, nanobind::any>;

// The description from which Python's spaces are made.
Description describe(const rl::EnvSpec& spec);

// Actions in the environment's own terms; values outside its bounds are clipped. Throw UsageError
// if they are invalid.
rl::Action discrete_action(const rl::ActionSpec& spec, std::int64_t index);
rl::Action continuous_action(const rl::ActionSpec& spec, std::span<const float> values);

// Raises Gymnasium's ResetNeeded.
[[noreturn]] void refuse_until_reset(const Lane& lane);

// The bit-exact state of environments of one task.
nanobind::bytes state_of(const Task& task, std::span<const Lane> lanes);
void set_state(const Task& task, std::span<Lane> lanes, const nanobind::bytes& state);

void bind_vector_env(nanobind::module_& module);
void bind_atari(nanobind::module_& module);

}  // namespace tarl::python
