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
// Many runs share a pool; the agent of one acts and learns while the cores step the others.
// Streams, episodes, the order of events and the saved state are those of train::Loop, whose
// EnvSlots this steps: a run moves between the two to the bit, between any two steps or between a
// step and its end. Results depend neither on the number of threads nor on the order in which runs
// arrive.
//
//     HostLanes run(pool, {...});
//     ... choose run.slots().actions() for run.slots().obs() ...
//     run.send();                          the cores step its environments
//     *pool.receive() == run.id()          this run, or another that was sent
//     ... store run.slots().transition(i), learn ...
//     if (run.end_step(...)) ...           ready for the next actions at once, or, where an episode
//                                          is over, when it was received a second time: the cores
//                                          reset environments, too
//
// A step costs its caller and a core a hand-over each, some hundred nanoseconds: nothing beside a
// simulator, more than a step of MinAtar, which a plain loop therefore steps faster
// (bench_host_lanes).
//
// What an environment throws comes out of CorePool::receive as a GroupFailure that names the run.
// So does a NonFiniteError, its cause then, where a step brings a value that is not finite.
//
// Memory: between send() or an end_step() that returned false, and the receive() that gives the run
// back, slots() belongs to the cores; at all other times to the caller. Nothing here takes a lock
// or allocates while a run goes on (core_pool.h says how ownership passes). Observations lie where
// Request::allocate puts them, e.g. in memory that a device reads; obs() is in one of two places,
// in turns, so that a device knows it by the parity of the step.
class HostLanes {
 public:
  struct Request {
    std::string name;  // of the run, for messages
    std::string env;   // of the environment, for messages
    const rl::MakeEnvironment& make;
    Rng root;  // of the run: its streams are forked from here
    int n_envs = 1;
    std::int64_t step = 0;         // environment steps the run has made
    bool refuse_nonfinite = true;  // unless on_nan = skip
    train::AllocateMemory allocate = train::plain_memory;
    // Told by the core that made it of each observation, after a step or a reset: of different
    // environments at the same time.
    std::function<void(int slot, std::span<const std::byte> obs)> arrived = {};
  };

  // Environments at the start of their first episodes. The pool outlives the run.
  HostLanes(CorePool& pool, const Request& request);

  // Waits for the run's environments where the cores have them.
  ~HostLanes();
  HostLanes(const HostLanes&) = delete;
  HostLanes& operator=(const HostLanes&) = delete;

  int id() const { return group_; }  // what CorePool::receive calls it

  std::int64_t step() const { return step_; }  // environment steps made or under way

  // Whether a step waits for its end_step(), once it was received.
  bool in_step() const { return in_step_; }

  train::EnvSlots& slots() { return slots_; }

  // Steps every environment with its action. Requires a run that the caller has, between steps.
  void send();

  // Ends the step, as train::Loop does when it has stored it: `finished` hears of episodes that are
  // over. True where the run is ready for the next actions; false where the cores start new
  // episodes first and the run has to be received again. Requires in_step().
  bool end_step(const std::function<void(const train::FinishedEpisode&)>& finished);

  // As a part of train::Loop's state. A state is saved between steps, or in a step, where
  // train::Loop would evaluate; `in_step` says which of them it was. Requires a run that the caller
  // has.
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

// The environments of an evaluation on the machine's cores, beside those of runs: the returns of
// train::evaluate_policy.
//
//     while (!evaluation.over()) {
//       ... choose what evaluation.wanted_actions() asks for ...
//       evaluation.send();
//       *pool.receive() == evaluation.id()
//       evaluation.end_step();
//     }
class HostEvaluation {
 public:
  // `name` is for messages. The pool outlives the evaluation.
  HostEvaluation(CorePool& pool, const std::string& name, const rl::MakeEnvironment& make,
                 int episodes, const Rng& stream);
  ~HostEvaluation();
  HostEvaluation(const HostEvaluation&) = delete;
  HostEvaluation& operator=(const HostEvaluation&) = delete;

  int id() const { return group_; }

  bool over() const { return evaluation_.playing().empty(); }

  // Of the episodes that are still played; see train::Evaluation.
  train::WantedActions wanted_actions() { return evaluation_.wanted_actions(); }

  // Steps them, once those were chosen.
  void send();

  void end_step() { evaluation_.end_step(); }

  train::EvaluationScores scores() const { return evaluation_.scores(); }

 private:
  CorePool& pool_;
  train::Evaluation evaluation_;
  int group_;
};

}  // namespace tarl::fleet
