// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "tarl/core/error.h"
#include "tarl/rl/environment.h"

namespace tarl::envs::classic {

// Observations of `numbers` floats and `actions` discrete actions.
rl::EnvSpec discrete_spec(std::string name, int numbers, int actions, double step_seconds);

// Observations of `numbers` floats and one action in +-`limit`, which `unit` names ("torque").
rl::EnvSpec continuous_spec(std::string name, int numbers, double limit, const char* unit,
                            double step_seconds);

// What the classic tasks share: a state of a few numbers, a time limit, saving and loading. A task
// defines where episodes start, how a step changes the state, how it is observed and how it is
// drawn.
template <class State>
class ClassicEnv : public rl::Environment {
 public:
  const rl::EnvSpec& spec() const final { return spec_; }

  void reset(std::span<std::byte> obs) final {
    state_ = start(rng_);
    steps_ = 0;
    write(obs);
  }

  rl::StepResult step(const rl::Action& action, std::span<std::byte> obs) final {
    const Outcome outcome = advance(action, state_);
    ++steps_;
    write(obs);
    rl::StepResult result;
    result.reward = result.score = static_cast<float>(outcome.reward);
    result.terminated = outcome.terminated;
    result.truncated = !result.terminated && steps_ >= step_limit_;
    result.score_episode_over = result.done();
    return result;
  }

  std::optional<rl::Image> render(std::string&) const final { return draw(state_); }

  std::optional<rl::Image> picture_of(std::span<const std::byte> obs, std::string&) const final {
    require(obs.size() == spec_.obs.bytes(), "observation of another size");
    std::vector<float> seen(seen_.size());
    std::memcpy(seen.data(), obs.data(), obs.size());
    return draw(recalled(seen));
  }

  void save(StateWriter& out) const override {
    out.put("state", state_);
    out.put("steps", steps_);
    out.put("rng", rng_);
  }

  void load(const StateReader& in) override {
    in.get("state", state_);
    in.get("steps", steps_);
    in.get("rng", rng_);
  }

 protected:
  struct Outcome {
    double reward = 0;
    bool terminated = false;
  };

  ClassicEnv(rl::EnvSpec spec, std::int64_t step_limit, Rng rng)
      : spec_(std::move(spec)),
        step_limit_(step_limit),
        rng_(rng),
        seen_(static_cast<std::size_t>(spec_.obs.size())) {}

  virtual State start(Rng& rng) const = 0;
  virtual Outcome advance(const rl::Action& action, State& state) = 0;
  virtual void observe(const State& state, std::span<float> out) const = 0;
  // A state with this observation.
  virtual State recalled(std::span<const float> seen) const = 0;
  virtual rl::Image draw(const State& state) const = 0;

  int discrete(const rl::Action& action) const {
    require(action.index >= 0 && action.index < spec_.action.count, "no such action");
    return action.index;
  }

  // The one continuous action, in the task's own units.
  double continuous(const rl::Action& action) const {
    const double low = spec_.action.low[0], high = spec_.action.high[0];
    return std::clamp(low + 0.5 * (double{action.values[0]} + 1) * (high - low), low, high);
  }

 private:
  void write(std::span<std::byte> obs) {
    require(obs.size() == spec_.obs.bytes(), "observation of another size");
    observe(state_, seen_);
    std::memcpy(obs.data(), seen_.data(), obs.size());
  }

  rl::EnvSpec spec_;
  std::int64_t step_limit_;
  State state_;
  std::int64_t steps_ = 0;
  Rng rng_;
  std::vector<float> seen_;  // the observation, for write()
};

// Uniform in +-limit.
inline double around_zero(Rng& rng, double limit) {
  return limit * (2 * rng.uniform() - 1);
}

}  // namespace tarl::envs::classic
