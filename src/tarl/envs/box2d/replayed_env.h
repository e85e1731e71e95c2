// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "tarl/envs/box2d/draws.h"
#include "tarl/rl/environment.h"

namespace tarl::envs::box2d {

// One episode of a Box2D task, a function of its draws and actions alone.
class Episode {
 public:
  virtual ~Episode() = default;

  struct Outcome {
    double reward = 0;
    bool terminated = false;
  };

  // A continuous action as it is, or a discrete one's index.
  virtual Outcome play(std::span<const float> action, Draws& draws) = 0;

  virtual void observe(std::span<float> out) const = 0;
  virtual rl::Image draw() const = 0;
  // Of everything observable in the state, for comparing two episodes.
  virtual std::uint64_t hash() const = 0;
};

// A Box2D task as an environment. The library's internal state cannot be read, so a save holds the
// stream at the reset and the actions since; a load replays them and compares the outcome.
class ReplayedEnv final : public rl::Environment {
 public:
  using Begin = std::function<std::unique_ptr<Episode>(Draws&)>;
  using Picture = rl::Image (*)(std::span<const float> obs);

  // Episodes are cut after `time_limit` steps. `picture` draws observations, if they contain
  // enough.
  ReplayedEnv(rl::EnvSpec spec, std::size_t time_limit, Begin begin, Rng rng,
              Picture picture = nullptr);

  const rl::EnvSpec& spec() const override { return spec_; }

  void reset(std::span<std::byte> obs) override;
  rl::StepResult step(const rl::Action& action, std::span<std::byte> obs) override;
  void save(StateWriter& out) const override;
  void load(const StateReader& in) override;
  std::optional<rl::Image> render(std::string& why) const override;
  std::optional<rl::Image> picture_of(std::span<const std::byte> obs,
                                      std::string& why) const override;

 private:
  void begin_episode();
  Episode::Outcome play(std::size_t step);
  void write(std::span<std::byte> obs);

  std::size_t steps() const { return actions_.size() / action_size_; }

  rl::EnvSpec spec_;
  std::size_t time_limit_;
  Begin begin_;
  Picture picture_;
  Rng rng_;
  Rng episode_rng_;  // the stream at the reset
  std::size_t action_size_;
  std::vector<float> actions_;  // [steps][action size] of this episode
  std::vector<float> seen_;     // the observation, for write()
  std::unique_ptr<Episode> episode_;
};

// Observations of `numbers` floats; actions in [-1, 1] or, if `actions` is given, that many
// discrete ones.
rl::EnvSpec box2d_spec(std::string name, int numbers, int continuous, int actions = 0);

}  // namespace tarl::envs::box2d
