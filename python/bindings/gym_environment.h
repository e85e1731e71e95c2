// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "bindings/gym_task.h"
#include "bindings/played_actions.h"
#include <nanobind/nanobind.h>

#include "tarl/core/rng.h"
#include "tarl/rl/environment.h"

namespace tarl::python {

// How an environment continues in another process.
enum class WayToResume {
  kReplay,    // its episode is replayed from its seed and actions, and compared
  kProtocol,  // by get_state() and set_state()
  kRestart,   // it does not: a new episode begins
};

// The seed of an episode: 31 bits, which fit any integer type.
std::int64_t episode_seed(Rng& rng);

// A gymnasium.Env. Every episode begins with reset(seed=...), with seeds drawn from the
// environment's stream, so that an episode is a function of its seed and its actions; with
// get_state() only the first one does.
class GymEnvironment final : public rl::Environment, public Held {
 public:
  // Takes an environment from `maker`, which belongs to the task, and returns it on destruction.
  GymEnvironment(std::shared_ptr<GymTask> task, GymMaker& maker, Rng rng);
  ~GymEnvironment() override;

  const rl::EnvSpec& spec() const override { return task_->spaces.spec(); }

  void reset(std::span<std::byte> obs) override;
  rl::StepResult step(const rl::Action& action, std::span<std::byte> obs) override;

  // Loading throws Error if the replayed episode differs. An environment that does not resume is
  // left as it is, and reset() must come next.
  void save(StateWriter& out) const override;
  void load(const StateReader& in) override;

  bool resumes() const { return way_ != WayToResume::kRestart; }

  int traverse(visitproc visit, void* arg) const override;
  void close() override;
  void clear() override;

 private:
  void begin(bool seeded);
  rl::StepResult play(const rl::Action& action);
  void count_score(nanobind::handle info, rl::StepResult& result);
  void observe(nanobind::handle value);
  void play_again(const StateReader& in);
  void put_back(const StateReader& in);

  std::shared_ptr<GymTask> task_;
  GymMaker& maker_;
  nanobind::object env_, step_, reset_;
  WayToResume way_ = WayToResume::kReplay;
  bool has_lives_ = false;
  bool begun_ = false;
  bool failed_ = false;  // it raised: not used again

  Rng rng_;
  std::int64_t seed_ = 0;       // of the episode
  PlayedActions played_;        // in the episode
  std::vector<std::byte> obs_;  // the last, with the frames before it
  double rewards_ = 0;          // of the episode
  double score_ = 0;            // told so far of what counts as an episode for scores
};

}  // namespace tarl::python
