// SPDX-License-Identifier: MIT
//
// Whole traces of the original games, as hashes: with the original's random stream and a fixed
// sequence of actions, tarl's games must give the same observations, rewards and ends.

#include <array>

#include "envs/minatar/draw_sources.h"
#include <gtest/gtest.h>

#include "tarl/envs/minatar/asterix.h"
#include "tarl/envs/minatar/breakout.h"
#include "tarl/envs/minatar/freeway.h"
#include "tarl/envs/minatar/seaquest.h"
#include "tarl/envs/minatar/space_invaders.h"
#include "tarl/envs/minatar/sticky_game.h"

namespace tarl::envs::minatar {

namespace {

using minatar_tests::NumpyDraws;

// An observation as bytes 0 or 1, in [row][column][channel] order.
template <class Game>
struct ByteCanvas {
  std::array<std::uint8_t, kSide * kSide * Game::kChannels> byte{};

  void set(int row, int column, int channel) { byte.at(index(row, column, channel)) = 1; }

  bool get(int row, int column, int channel) const {
    return byte.at(index(row, column, channel)) != 0;
  }

  static std::size_t index(int row, int column, int channel) {
    return static_cast<std::size_t>((row * kSide + column) * Game::kChannels + channel);
  }
};

// FNV-1a, 64 bits.
struct Hash {
  std::uint64_t value = 0xcbf29ce484222325U;

  void add(std::uint8_t byte) { value = (value ^ byte) * 0x100000001b3U; }
};

enum class Policy { kScrambled, kFollowBall, kUp };

// At a terminal: restart, or (to reach what play never reaches) continue as if nothing had
// happened.
enum class AtEnd { kReset, kGoOn };

struct Protocol {
  std::uint32_t seed = 0;
  double sticky = 0.1;
  int steps = 6000;
  Policy policy = Policy::kScrambled;
  AtEnd at_end = AtEnd::kReset;
};

struct Result {
  int reward = 0;
  int episodes = 0;
  std::uint64_t hash = 0;

  bool operator==(const Result&) const = default;
};

void PrintTo(const Result& result, std::ostream* out) {
  *out << result.reward << " points, " << result.episodes << " ends, hash " << std::hex
       << result.hash << std::dec;
}

template <class Game>
int column_of(const ByteCanvas<Game>& obs, int channel) {
  for (int row = 0; row < kSide; ++row) {
    for (int column = 0; column < kSide; ++column) {
      if (obs.get(row, column, channel)) return column;
    }
  }
  return -1;
}

template <class Game>
class Trace {
 public:
  explicit Trace(const Protocol& protocol) : protocol_(protocol), draws_(protocol.seed) {}

  Result run() {
    reset();
    for (int t = 0; t < protocol_.steps; ++t) step();
    result_.hash = hash_.value;
    return result_;
  }

 private:
  void reset() {
    play_.reset(draws_);
    observe();
  }

  void step() {
    const Outcome outcome = play_.step(next_action(), protocol_.sticky, draws_);
    observe();
    hash_.add(static_cast<std::uint8_t>(outcome.reward));
    hash_.add(outcome.terminal ? 1 : 0);
    result_.reward += outcome.reward;
    if (!outcome.terminal) return;
    ++result_.episodes;
    if (protocol_.at_end == AtEnd::kReset) {
      reset();
    } else {
      play_.game.terminal = 0;
    }
  }

  void observe() {
    obs_ = {};
    play_.game.render(obs_);
    for (const std::uint8_t byte : obs_.byte) hash_.add(byte);
  }

  int next_action() {
    scrambler_ = 1664525U * scrambler_ + 1013904223U;
    if (protocol_.policy == Policy::kUp) return kUp;
    if (protocol_.policy == Policy::kScrambled) return static_cast<int>((scrambler_ >> 16) % 6);
    const int paddle = column_of(obs_, 0), ball = column_of(obs_, 1);
    return ball < paddle ? kLeft : ball > paddle ? kRight : kNoop;
  }

  Protocol protocol_;
  NumpyDraws draws_;
  StickyGame<Game> play_;
  ByteCanvas<Game> obs_;
  Hash hash_;
  Result result_;
  std::uint32_t scrambler_ = 12345;
};

template <class Game>
void expect(const Protocol& protocol, const Result& expected) {
  EXPECT_EQ(Trace<Game>(protocol).run(), expected)
      << Game::kName << ", seed " << protocol.seed << ", sticky " << protocol.sticky;
}

TEST(MinatarConformance, Asterix) {
  expect<Asterix>({.seed = 0}, {49, 83, 0x92a048c8695e6969});
  expect<Asterix>({.seed = 0, .sticky = 0}, {59, 82, 0x508a229dbe6efd8e});
  expect<Asterix>({.seed = 7}, {56, 83, 0x91a8fe2ee67819dc});
}

TEST(MinatarConformance, Breakout) {
  expect<Breakout>({.seed = 0}, {267, 545, 0xf907df3a45fea86f});
  expect<Breakout>({.seed = 0, .sticky = 0}, {287, 510, 0x2fec8d9dedc1f8ff});
  expect<Breakout>({.seed = 7}, {276, 531, 0xf4cea503aa1a8fa5});
}

TEST(MinatarConformance, Freeway) {
  expect<Freeway>({.seed = 0}, {1, 2, 0x644ab7aad8f58e57});
  expect<Freeway>({.seed = 0, .sticky = 0}, {1, 2, 0x663a6d2442a9a6ff});
  expect<Freeway>({.seed = 7}, {0, 2, 0x18b3756d3145aee4});
}

TEST(MinatarConformance, SpaceInvaders) {
  expect<SpaceInvaders>({.seed = 0}, {346, 127, 0x270e9961a53ce5ab});
  expect<SpaceInvaders>({.seed = 0, .sticky = 0}, {376, 114, 0x0b99959ba28ec1b5});
  expect<SpaceInvaders>({.seed = 7}, {361, 123, 0xb43d9b8be99fc02e});
}

TEST(MinatarConformance, Seaquest) {
  expect<Seaquest>({.seed = 0}, {16, 197, 0xf7ec9a4de8d06075});
  expect<Seaquest>({.seed = 0, .sticky = 0}, {24, 227, 0xb2f611f2fa64845a});
  expect<Seaquest>({.seed = 7}, {13, 207, 0x5e2fbabdae3b4fbd});
}

Protocol long_play(std::uint32_t seed, Policy policy, AtEnd at_end) {
  return {.seed = seed, .steps = 20'000, .policy = policy, .at_end = at_end};
}

TEST(MinatarConformance, LongPlayOfAsterix) {
  expect<Asterix>(long_play(1, Policy::kScrambled, AtEnd::kGoOn), {875, 2758, 0xa3b85cdb7a2b90df});
  expect<Asterix>(long_play(3, Policy::kScrambled, AtEnd::kGoOn), {870, 2640, 0xf01c774ed8d31cd0});
}

TEST(MinatarConformance, LongPlayOfBreakout) {
  expect<Breakout>(long_play(1, Policy::kFollowBall, AtEnd::kReset),
                   {1709, 223, 0x2ba469d23c3c0724});
  expect<Breakout>(long_play(3, Policy::kFollowBall, AtEnd::kReset),
                   {1709, 186, 0x94c5b41c418328ef});
}

TEST(MinatarConformance, LongPlayOfFreeway) {
  expect<Freeway>(long_play(1, Policy::kUp, AtEnd::kReset), {151, 7, 0x3eda497228a40929});
  expect<Freeway>(long_play(3, Policy::kUp, AtEnd::kReset), {124, 7, 0x2387efae84e17c16});
}

TEST(MinatarConformance, LongPlayOfSpaceInvaders) {
  expect<SpaceInvaders>(long_play(1, Policy::kScrambled, AtEnd::kGoOn),
                        {698, 1518, 0x35ffb3bd5af490ef});
  expect<SpaceInvaders>(long_play(3, Policy::kScrambled, AtEnd::kGoOn),
                        {671, 1507, 0xbb56f679f39e27af});
}

TEST(MinatarConformance, LongPlayOfSeaquest) {
  expect<Seaquest>(long_play(1, Policy::kScrambled, AtEnd::kGoOn), {623, 7400, 0xe3c0723025cafd4b});
  expect<Seaquest>(long_play(3, Policy::kScrambled, AtEnd::kGoOn), {667, 8187, 0x2dfc50f3df82695c});
}

}  // namespace

}  // namespace tarl::envs::minatar
