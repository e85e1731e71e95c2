// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstring>
#include <vector>

#include "tarl/core/rng.h"
#include "tarl/rl/batch.h"

namespace replay_test {

using Bytes = std::vector<std::byte>;

// A transition with complete observations, as a naive replay would keep it.
struct Played {
  int lane = 0;
  Bytes obs;
  Bytes next_obs;
  tarl::rl::Action action;
  float reward = 0;
  bool terminated = false;
  bool truncated = false;

  tarl::rl::Transition transition() const {
    return {lane, obs, action, reward, terminated, truncated, next_obs};
  }
};

// Environments with random frames, rewards, actions and ends, played in turn.
class RandomPlay {
 public:
  RandomPlay(const tarl::rl::ObsSpec& spec, int lanes, double end_chance, std::uint64_t seed)
      : stack_(static_cast<std::size_t>(spec.frame_stack)),
        frame_bytes_(spec.bytes() / stack_),
        end_chance_(end_chance),
        rng_(tarl::seeded(seed)),
        current_(static_cast<std::size_t>(lanes)) {
    for (Bytes& obs : current_) obs = first_obs();
  }

  Played next() {
    Played played;
    played.lane = static_cast<int>(count_++ % current_.size());
    Bytes& current = current_[static_cast<std::size_t>(played.lane)];
    played.obs = current;
    played.action.index = static_cast<std::int32_t>(rng_.below(1000));
    for (float& value : played.action.values) value = static_cast<float>(rng_.uniform());
    played.reward = static_cast<float>(rng_.normal());
    const double end = rng_.uniform();
    played.terminated = end < end_chance_ / 2;
    played.truncated = !played.terminated && end < end_chance_;
    played.next_obs = pushed(current, frame());
    current = played.terminated || played.truncated ? first_obs() : played.next_obs;
    return played;
  }

 private:
  Bytes frame() {
    Bytes bytes(frame_bytes_);
    for (std::byte& byte : bytes) byte = static_cast<std::byte>(rng_.below(256));
    return bytes;
  }

  Bytes pushed(const Bytes& obs, const Bytes& frame) const {
    Bytes out(obs.begin() + static_cast<std::ptrdiff_t>(frame_bytes_), obs.end());
    out.insert(out.end(), frame.begin(), frame.end());
    return out;
  }

  Bytes first_obs() { return pushed(Bytes(stack_ * frame_bytes_), frame()); }

  std::size_t stack_;
  std::size_t frame_bytes_;
  double end_chance_;
  tarl::Rng rng_;
  std::uint64_t count_ = 0;
  std::vector<Bytes> current_;
};

inline tarl::rl::ObsSpec bits(int channels, int side) {
  return {tarl::rl::ObsKind::kBits, channels, side, side, 1};
}

inline tarl::rl::ObsSpec frames(int stack, int side) {
  return {tarl::rl::ObsKind::kBytes, stack, side, side, stack};
}

inline tarl::rl::ObsSpec floats(int size) {
  return {tarl::rl::ObsKind::kFloats, size, 1, 1, 1};
}

inline tarl::rl::ActionSpec discrete(int count) {
  tarl::rl::ActionSpec action;
  action.count = count;
  return action;
}

inline tarl::rl::ActionSpec continuous(int size) {
  tarl::rl::ActionSpec action;
  action.size = size;
  return action;
}

}  // namespace replay_test
