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
  float reward = 0;         // what the agent learns from (clipped, if the task clips)
  bool terminated = false;  // a true end: no value beyond it
  bool truncated = false;   // cut by a time limit: still bootstraps
  // The game's own points and episode ends, if they differ from the learning reward and the agent's
  // episode (Atari: raw points, full games). Otherwise equal to reward, terminated || truncated.
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

  // The whole state, bit for bit, including streams. A simulator whose state cannot be read sets
  // spec().resumable = false.
  virtual void save(StateWriter& out) const = 0;
  virtual void load(const StateReader& in) = 0;

  // A picture of the current state, or nothing with the reason in `why`.
  virtual std::optional<Image> render(std::string& why) const {
    why = "this environment draws no pictures";
    return std::nullopt;
  }

  // A picture of the state behind an observation, if the observation shows enough of it. Works
  // before reset(), too; changes nothing.
  virtual std::optional<Image> picture_of(std::span<const std::byte> /*obs*/,
                                          std::string& why) const {
    why = "this environment draws no pictures of observations";
    return std::nullopt;
  }
};

using MakeEnvironment = std::function<std::unique_ptr<Environment>(Rng rng)>;

}  // namespace tarl::rl
