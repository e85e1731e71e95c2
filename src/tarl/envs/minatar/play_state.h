// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <span>

#include "tarl/core/rng.h"
#include "tarl/core/state.h"

namespace tarl::envs::minatar {

// A game in progress in checkpoints, on the CPU and on a GPU: the bytes of its StickyGame and its
// stream. Loading throws Error if the game has another size.
inline void save_play(std::span<const std::byte> play, const Rng& rng, StateWriter& out) {
  out.put("play", play);
  out.put("rng", rng);
}

inline void load_play(const StateReader& in, std::span<std::byte> play, Rng& rng) {
  in.get("play", play);
  in.get("rng", rng);
}

}  // namespace tarl::envs::minatar
