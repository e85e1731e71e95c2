// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "tarl/core/rng.h"
#include "tarl/core/state.h"
#include "tarl/rl/spec.h"

namespace tarl::rl {

struct StepResult {
  float reward = 0;         // what the agent learns from (clipped, where the task clips)
  bool terminated = false;  // a true end: no value beyond it
  bool truncated = false;   // cut by a time limit: still bootstraps
  // What a score counts, where it differs from the learning reward and from the agent's episode
  // (Atari: raw points, full games). Equal to reward, terminated || truncated elsewhere.
  float score = 0;
  bool score_episode_over = false;

  bool done() const { return terminated || truncated; }
};

struct Image {
  int width = 0;
  int height = 0;
  std::vector<std::uint8_t> rgb;  // [height][width][3]
};

// A task. Draws randomness only from the stream it was made with, which is part of its state.
class Environment {
 public:
  virtual ~Environment() = default;
  virtual const EnvSpec& spec() const = 0;

  // Starts an episode and writes its first observation. Requires obs.size() == spec().obs.bytes().
  virtual void reset(std::span<std::byte> obs) = 0;

  // Advances one step and writes the observation after it; after a step that is done() this is
  // the final observation, and reset() must come next.
  virtual StepResult step(const Action& action, std::span<std::byte> obs) = 0;

  // The whole state, to the bit, streams included. A simulator that cannot give its state away
  // says so by spec().resumable = false.
  virtual void save(StateWriter& out) const = 0;
  virtual void load(const StateReader& in) = 0;

  // A picture of the current state for people, or nothing with the reason in `why`.
  virtual std::optional<Image> render(std::string& why) const {
    why = "this environment draws no pictures";
    return std::nullopt;
  }

  // The same of the state that an observation shows, where it shows enough of it. Of an environment
  // that has not been reset, too; changes nothing.
  virtual std::optional<Image> picture_of(std::span<const std::byte> /*obs*/,
                                          std::string& why) const {
    why = "this environment draws no pictures of observations";
    return std::nullopt;
  }
};

using MakeEnvironment = std::function<std::unique_ptr<Environment>(Rng rng)>;

}  // namespace tarl::rl
