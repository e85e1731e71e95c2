// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "tarl/core/rng.h"
#include "tarl/rl/agent.h"
#include "tarl/rl/environment.h"
#include "tarl/train/env_slot.h"

namespace tarl::train {

struct EvaluationScores {
  std::vector<double> returns;        // [episodes]
  std::vector<std::int64_t> lengths;  // [episodes] environment steps
  std::int64_t cut = 0;               // episodes ended by the environment's evaluation limit
};

// A request for actions: one for each of n contiguous observations, each with a stream to draw
// from.
struct WantedActions {
  std::span<const std::byte> obs;
  int n = 0;
  std::span<Rng> streams;
  std::span<rl::Action> actions;
};

// An evaluation in progress: whole episodes in environments of its own, stepped together on the
// caller's threads. A pure function of the policy and the stream. One step: choose_actions() for
// the episodes still in progress, step(i) for each of them, end_step().
class Evaluation {
 public:
  // `stream` is the source of all randomness of this evaluation.
  Evaluation(const rl::MakeEnvironment& make, int episodes, const Rng& stream);
  // Only the episodes whose streams these are.
  Evaluation(const rl::MakeEnvironment& make, std::span<const SlotStreams> streams);

  std::span<const int> playing() const { return playing_; }  // empty: the evaluation is over

  // The greedy action, or with `explore` one as in training.
  void choose_actions(rl::Agent& agent, double epsilon, bool explore = false);

  // The same in two parts, for agents that compute elsewhere: the request stays valid until
  // take_actions().
  WantedActions wanted_actions();
  void take_actions();

  // Takes the action chosen for an episode. Different episodes may be stepped at the same time.
  void step(int episode);

  void end_step();

  EvaluationScores scores() const;

 private:
  struct alignas(64) Episode {  // a thread's own cache lines
    std::unique_ptr<rl::Environment> env;
    std::vector<std::byte> obs;
    Rng stream;
    rl::Action action;
    double score = 0;
    std::int64_t length = 0;
    bool over = false;
    bool cut = false;
  };

  std::vector<Episode> episodes_;
  std::vector<int> playing_;
  std::vector<std::byte> obs_;  // of the episodes in progress, contiguous
  std::vector<Rng> streams_;
  std::vector<rl::Action> actions_;
};

struct EvaluationRequest {
  const rl::MakeEnvironment& make;
  rl::Agent& agent;
  int episodes = 5;
  double epsilon = 0;
  bool explore = false;  // act as in training, with the agent's own noise
  int side_by_side = 0;  // episodes played together, in order; 0: all. Changes no score
  Rng stream;            // all randomness of this evaluation
  std::function<bool()> stop = nullptr;  // polled at every step
};

// Runs a whole evaluation of the current policy. Empty if `stop` returned true.
std::optional<EvaluationScores> evaluate_policy(const EvaluationRequest& request);

}  // namespace tarl::train
