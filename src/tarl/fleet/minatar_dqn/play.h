// SPDX-License-Identifier: MIT
#pragma once

#include "tarl/envs/minatar/asterix.h"
#include "tarl/envs/minatar/bit_canvas.h"
#include "tarl/envs/minatar/breakout.h"
#include "tarl/envs/minatar/draws.h"
#include "tarl/envs/minatar/freeway.h"
#include "tarl/envs/minatar/seaquest.h"
#include "tarl/envs/minatar/space_invaders.h"
#include "tarl/envs/minatar/sticky_game.h"
#include "tarl/fleet/minatar_dqn/agent_state.h"

// The MinAtar games behind a single interface with run-time dispatch: the behaviour of
// MinatarEnvironment, for CPU and GPU.
namespace tarl::fleet {

// Calls visit with a value of the game's rules type.
template <class Visit>
TARL_HOST_DEVICE inline auto with_game(Game game, Visit visit) {
  switch (game) {
    case Game::kAsterix:
      return visit(envs::minatar::Asterix{});
    case Game::kBreakout:
      return visit(envs::minatar::Breakout{});
    case Game::kFreeway:
      return visit(envs::minatar::Freeway{});
    case Game::kSpaceInvaders:
      return visit(envs::minatar::SpaceInvaders{});
    case Game::kSeaquest:
      break;
  }
  return visit(envs::minatar::Seaquest{});
}

template <class Rules>
TARL_HOST_DEVICE inline envs::minatar::StickyGame<Rules>& state_of(Play& play) {
  using State = envs::minatar::StickyGame<Rules>;
  static_assert(sizeof(State) <= kPlayBytes);
  return *reinterpret_cast<State*>(play.bytes);
}

// Sets bits in place; on the device by atomics, without waiting for the previous value.
template <int channels>
struct BoardCanvas {
  std::byte* obs;

  TARL_HOST_DEVICE inline void set(int row, int column, int channel) {
    const unsigned bit = bit_of(row, column, channel);
    add(bit / 32, 1U << (bit % 32));
  }

  // Sets bit x for column x without branching per column; branches would dominate drawing a wall.
  TARL_HOST_DEVICE inline void set_row(int row, std::uint32_t bits, int channel) {
    static_assert(envs::minatar::kSide * channels <= 64);
    std::uint64_t spread = 0;
    for (int column = 0; column < envs::minatar::kSide; ++column) {
      spread |= std::uint64_t{(bits >> column) & 1U} << (column * channels);
    }
    const unsigned first = bit_of(row, 0, channel), shift = first % 32;
    const std::uint64_t low = spread << shift;
    add(first / 32, static_cast<std::uint32_t>(low));
    add(first / 32 + 1, static_cast<std::uint32_t>(low >> 32));
    if (shift > 0 && spread >> (64 - shift) != 0) {
      add(first / 32 + 2, static_cast<std::uint32_t>(spread >> (64 - shift)));
    }
  }

 private:
  TARL_HOST_DEVICE static unsigned bit_of(int row, int column, int channel) {
    return static_cast<unsigned>((row * envs::minatar::kSide + column) * channels + channel);
  }

  TARL_HOST_DEVICE inline void add(unsigned word, std::uint32_t bits) {
    auto* to = reinterpret_cast<std::uint32_t*>(obs) + word;
#if defined(__CUDA_ARCH__)
    atomicOr(to, bits);
#else
    *to |= bits;
#endif
  }
};

template <class Rules>
TARL_HOST_DEVICE inline void draw_board(Play& play, std::byte* obs) {
  constexpr int kWords = envs::minatar::BitCanvas<Rules::kChannels>::kWords;
  for (int i = 0; i < kWords; ++i) reinterpret_cast<std::uint64_t*>(obs)[i] = 0;
  BoardCanvas<Rules::kChannels> canvas{obs};
  state_of<Rules>(play).game.render(canvas);
}

// Starts a new game with its own stream. `obs` must be aligned to 8 bytes.
TARL_HOST_DEVICE inline void begin_play(const AgentSpec& spec, Rng rng, Play& play) {
  play.rng = rng;
  with_game(spec.game, [&](auto rules) {
    using Rules = decltype(rules);
    envs::minatar::StickyGame<Rules> fresh;
    fresh.game.ramping = spec.ramping;
    state_of<Rules>(play) = fresh;
  });
}

TARL_HOST_DEVICE inline void draw_play(const AgentSpec& spec, Play& play, std::byte* obs) {
  with_game(spec.game, [&](auto rules) { draw_board<decltype(rules)>(play, obs); });
}

// Start an episode, and make a step, without drawing the board.
TARL_HOST_DEVICE inline void restart_play(const AgentSpec& spec, Play& play) {
  with_game(spec.game, [&](auto rules) {
    envs::minatar::RngDraws draws{play.rng};
    state_of<decltype(rules)>(play).reset(draws);
  });
}

TARL_HOST_DEVICE inline envs::minatar::Outcome move_play(const AgentSpec& spec, Play& play,
                                                         int action) {
  return with_game(spec.game, [&](auto rules) {
    using Rules = decltype(rules);
    envs::minatar::RngDraws draws{play.rng};
    const int id = spec.minimal_actions != 0 ? Rules::minimal_action(action) : action;
    return state_of<Rules>(play).step(id, spec.sticky, draws);
  });
}

TARL_HOST_DEVICE inline void reset_play(const AgentSpec& spec, Play& play, std::byte* obs) {
  restart_play(spec, play);
  draw_play(spec, play, obs);
}

TARL_HOST_DEVICE inline envs::minatar::Outcome step_play(const AgentSpec& spec, Play& play,
                                                         int action, std::byte* obs) {
  const envs::minatar::Outcome outcome = move_play(spec, play, action);
  draw_play(spec, play, obs);
  return outcome;
}

TARL_HOST_DEVICE inline std::size_t play_size(Game game) {
  return with_game(game,
                   [](auto rules) { return sizeof(envs::minatar::StickyGame<decltype(rules)>); });
}

// Whether a step would end the episode: `move` makes it, by move_play, on a copy. A game draws only
// from its own stream, so the copy predicts exactly what will happen.
template <class Move>
TARL_HOST_DEVICE inline bool would_end(const AgentSpec& spec, const Play& play, Move move) {
  Play copy;
  copy.rng = play.rng;
  const auto* from = reinterpret_cast<const std::uint64_t*>(play.bytes);
  auto* to = reinterpret_cast<std::uint64_t*>(copy.bytes);
  const int words = static_cast<int>((play_size(spec.game) + 7) / 8);
  for (int i = 0; i < words; ++i) to[i] = from[i];
  return move(copy).terminal;
}

}  // namespace tarl::fleet
