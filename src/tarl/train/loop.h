// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "tarl/core/threads.h"
#include "tarl/train/config.h"
#include "tarl/train/env_slots.h"
#include "tarl/train/learner.h"
#include "tarl/train/loop_records.h"
#include "tarl/train/run_recorder.h"

namespace tarl::train {

// Makes the environments of a run from its settings: those of its evaluations, and those it trains
// in unless its environment makes pools.
rl::MakeEnvironment environments_of(const RunConfig& config);

// The probability that a run's next action is random, after `step` steps.
double epsilon_after(const RunConfig& config, std::int64_t step);

// Before learning starts, chooses the actions of a run's next step, after `step` steps, at random;
// afterwards returns false: the agent chooses, and explores by the schedule.
bool choose_random_actions(const RunConfig& config, std::int64_t step, EnvSlots& slots);
rl::ActMode exploring(const RunConfig& config, std::int64_t step);

// Both, for the slots' observations.
void choose_actions(const RunConfig& config, std::int64_t step, rl::Agent& agent, EnvSlots& slots);

// What a progress display shows.
struct Progress {
  std::int64_t step = 0;
  std::int64_t steps = 0;
  double episode_return = 0;  // mean over the last training episodes
  double evaluation = 0;      // mean return of the last evaluation
  std::int64_t evaluations = 0;
  double alignment = -1;   // mean alignment of the kept rows; -1 if none is computed
  bool evaluated = false;  // an evaluation has just been made
};

// Callbacks of the loop. Each may be empty.
struct LoopHooks {
  std::function<bool()> stop;                     // polled in every phase
  std::function<void(const Progress&)> progress;  // now and then, and after evaluations
  std::function<void()> checkpoint;               // save everything now
  std::function<void()> stored = {};              // after every step: the replay has grown
  std::function<void(double mean)> best = {};     // a new best evaluation
};

enum class LoopResult { kFinished, kStopped };

// The path of the data, step by step in Stable-Baselines3's order:
// act, environment step, evaluate, store, sync the target, learn, log.
class Loop {
 public:
  // The config, the team and the logs outlive the loop. Throws UsageError if the settings do not
  // fit the environment or the machine.
  Loop(const RunConfig& config, Team& team, store::RunLogs& logs);
  ~Loop();

  LoopResult run(const LoopHooks& hooks);

  std::int64_t step() const { return step_; }

  // Whether save() may be called: runs in environments that cannot save themselves do not resume.
  bool resumable() const { return slots_.spec().resumable; }

  const rl::EnvSpec& spec() const { return slots_.spec(); }

  rl::Agent& agent() { return *agent_; }

  const rl::Agent& agent() const { return *agent_; }

  rl::Replay& replay() { return *replay_; }

  Learner& learner() { return *learner_; }

  const Learner& learner() const { return *learner_; }

  // After a NonFiniteError: the transitions that caused it.
  rl::Sample suspects() const;

  // The whole run, bit-exact, except for the replay's sealed segments. Valid between steps and
  // after run() has returned.
  void save(StateWriter& out) const;
  void load(const StateReader& in);

  // How many environments begin new episodes when a loaded run continues, because their state could
  // not be restored; the run is then not bit-identical to an uninterrupted one.
  int restarts() const { return static_cast<int>(lost_.size()); }

 private:
  void leave_lost_episodes();
  void collect();
  bool evaluate(const LoopHooks& hooks);  // false when stopped
  void store();
  void sync_and_learn();
  void log_interval();
  Progress progress(bool evaluated) const;

  const RunConfig& config_;
  const bool counts_steps_;  // target syncs count environment steps (DQN), not updates
  Team& team_;
  store::RunLogs& logs_;
  RunRecorder recorder_;
  Rng root_;
  rl::MakeEnvironment make_environment_;
  EnvSlots slots_;
  std::unique_ptr<rl::Replay> replay_;
  std::unique_ptr<rl::Agent> agent_;
  std::unique_ptr<Learner> learner_;

  std::vector<int> lost_;  // slots whose episodes could not be restored

  std::vector<float> step_rewards_;    // [n_envs] of the last step
  std::unique_ptr<bool[]> step_over_;  // [n_envs]

  std::int64_t step_ = 0;
  std::int64_t evaluations_ = 0;
  Phase phase_ = Phase::kCollect;
};

}  // namespace tarl::train
