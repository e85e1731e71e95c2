// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "tarl/core/core_pool.h"
#include "tarl/train/env_slots.h"
#include "tarl/train/evaluate.h"

namespace tarl::fleet {

// The environments of one run on the machine's cores, for a run whose agent computes elsewhere.
// Many runs share a pool: while the agent of one acts and learns, the cores step the environments
// of the others. Streams, episodes, the order of events and the saved state are those of
// train::Loop, whose EnvSlots this class steps. A run can therefore move between the two bit for
// bit, between steps or between a step and its end. Results depend neither on the number of threads
// nor on the order in which runs are received.
//
//     HostLanes run(pool, {...});
//     ... choose run.slots().actions() for run.slots().obs() ...
//     run.send();                          the cores step its environments
//     *pool.receive() == run.id()          this run, or another that was sent
//     ... store run.slots().transition(i), learn ...
//     if (run.end_step(...)) ...           ready for the next actions immediately; otherwise
//                                          after a second receive(), since the cores also reset
//                                          environments whose episodes are over
//
// Each step costs one hand-over to the cores and one back, a few hundred nanoseconds each:
// negligible for a simulator, but more than a step of MinAtar, which a plain loop steps faster
// (bench_host_lanes).
//
// An exception from an environment surfaces in CorePool::receive as a GroupFailure that names the
// run. So does a step with a non-finite value, with a NonFiniteError as the cause.
//
// Memory: slots() belongs to the cores from send(), or from an end_step() that returned false,
// until receive() returns the run; at all other times it belongs to the caller. No function here
// locks or allocates during a run (see core_pool.h for how ownership passes). Observations are
// placed where Request::allocate puts them, for example in memory that a device reads; obs()
// alternates between two places, so a device can derive the place from the parity of the step.
class HostLanes {
 public:
  struct Request {
    std::string name;  // of the run, for messages
    std::string env;   // of the environment, for messages
    const rl::MakeEnvironment& make;
    Rng root;  // of the run; its streams are forked from here
    int n_envs = 1;
    std::int64_t step = 0;         // environment steps already made
    bool refuse_nonfinite = true;  // unless on_nan = skip
    train::AllocateMemory allocate = train::plain_memory;
    // Called by the core that produced an observation, after a step or a reset; concurrently for
    // different environments.
    std::function<void(int slot, std::span<const std::byte> obs)> arrived = {};
  };

  // Starts with environments before their first episodes. The pool must outlive the run.
  HostLanes(CorePool& pool, const Request& request);

  // Waits for environments that the cores are still working on.
  ~HostLanes();
  HostLanes(const HostLanes&) = delete;
  HostLanes& operator=(const HostLanes&) = delete;

  int id() const { return group_; }  // its id in CorePool::receive

  std::int64_t step() const { return step_; }  // environment steps made or under way

  // Whether a received step still needs its end_step().
  bool in_step() const { return in_step_; }

  train::EnvSlots& slots() { return slots_; }

  // Steps every environment with its action. Requires that the caller owns the run and that it is
  // between steps.
  void send();

  // Ends the step, as train::Loop does after storing it; calls `finished` for each episode that
  // ended. Returns true if the run is ready for the next actions, false if the cores start new
  // episodes first and the run must be received again. Requires in_step().
  bool end_step(const std::function<void(const train::FinishedEpisode&)>& finished);

  // A part of train::Loop's state, saved between steps, or within a step at the point where
  // train::Loop would evaluate; `in_step` tells which. Requires that the caller owns the run.
  void save(StateWriter& out) const;
  void load(const StateReader& in, bool in_step);

 private:
  enum class Job { kStep, kReset };

  void work(int slot);
  void require_here() const;

  CorePool& pool_;
  const std::string env_;
  const bool refuse_nonfinite_;
  const std::function<void(int, std::span<const std::byte>)> arrived_;
  train::EnvSlots slots_;
  std::vector<int> all_;  // slots
  Job job_ = Job::kStep;
  std::int64_t step_;
  bool in_step_ = false;
  int group_;
};

// The environments of an evaluation on the machine's cores, alongside those of runs. Returns are
// those of train::evaluate_policy.
//
//     while (!evaluation.over()) {
//       ... choose what evaluation.wanted_actions() asks for ...
//       evaluation.send();
//       *pool.receive() == evaluation.id()
//       evaluation.end_step();
//     }
class HostEvaluation {
 public:
  // `name` is for messages. The pool must outlive the evaluation.
  HostEvaluation(CorePool& pool, const std::string& name, const rl::MakeEnvironment& make,
                 int episodes, const Rng& stream);
  ~HostEvaluation();
  HostEvaluation(const HostEvaluation&) = delete;
  HostEvaluation& operator=(const HostEvaluation&) = delete;

  int id() const { return group_; }

  bool over() const { return evaluation_.playing().empty(); }

  // Of the episodes in progress; see train::Evaluation.
  train::WantedActions wanted_actions() { return evaluation_.wanted_actions(); }

  // Steps the episodes in progress. Requires their actions to be chosen.
  void send();

  void end_step() { evaluation_.end_step(); }

  train::EvaluationScores scores() const { return evaluation_.scores(); }

 private:
  CorePool& pool_;
  train::Evaluation evaluation_;
  int group_;
};

}  // namespace tarl::fleet
