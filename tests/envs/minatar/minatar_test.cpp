// SPDX-License-Identifier: MIT
#include <cmath>
#include <cstring>
#include <set>

#include <gtest/gtest.h>

#include "tarl/envs/minatar/asterix.h"
#include "tarl/envs/minatar/bit_canvas.h"
#include "tarl/envs/minatar/breakout.h"
#include "tarl/envs/minatar/draws.h"
#include "tarl/envs/minatar/freeway.h"
#include "tarl/envs/minatar/seaquest.h"
#include "tarl/envs/minatar/space_invaders.h"
#include "tarl/envs/minatar/sticky_game.h"
#include "tarl/envs/registry.h"

namespace tarl::envs {

namespace {

const Registry& games() {
  static const Registry registry = [] {
    Registry made;
    add_minatar(made);
    return made;
  }();
  return registry;
}

struct Played {
  std::vector<std::byte> obs;  // of every step, one after another
  std::vector<float> rewards;
  int episodes = 0;

  bool operator==(const Played&) const = default;
};

rl::Action action(int index) {
  rl::Action chosen;
  chosen.index = index;
  return chosen;
}

// Uniform random play from the environment's present state.
Played play(rl::Environment& env, Rng policy, int steps) {
  Played played;
  std::vector<std::byte> obs(env.spec().obs.bytes());
  const auto count = static_cast<std::uint32_t>(env.spec().action.count);
  for (int t = 0; t < steps; ++t) {
    const rl::StepResult result = env.step(action(static_cast<int>(policy.below(count))), obs);
    played.obs.insert(played.obs.end(), obs.begin(), obs.end());
    played.rewards.push_back(result.reward);
    if (result.done()) {
      ++played.episodes;
      env.reset(obs);
    }
  }
  return played;
}

std::unique_ptr<rl::Environment> started(const std::string& name, const EnvConfig& config,
                                         std::uint64_t seed) {
  auto env = games().make(name, seeded(seed), config);
  std::vector<std::byte> obs(env->spec().obs.bytes());
  env->reset(obs);
  return env;
}

TEST(Minatar, EveryGameHasBothActionSets) {
  EXPECT_EQ(games().names().size(), 10U);
  EXPECT_EQ(games().find("MinAtar/SpaceInvaders-v1").name, "minatar/space_invaders");
  EXPECT_EQ(games().find("minatar/space_invaders-v1").name, "minatar/space_invaders");
  EXPECT_EQ(games().find("MinAtar/Breakout-v0").name, "minatar/breakout-v0");
  EXPECT_EQ(games().find("minatar/breakout").title, "10x10x4 grid, 3 actions");
  EXPECT_EQ(games().find("minatar/breakout-v0").title, "10x10x4 grid, 6 actions");
}

TEST(Minatar, TheSpecDescribesTheTask) {
  const auto env = started("minatar/seaquest", {}, 0);
  const rl::EnvSpec& spec = env->spec();
  EXPECT_EQ(spec.obs, (rl::ObsSpec{rl::ObsKind::kBits, 10, 10, 10}));
  EXPECT_EQ(spec.obs.bytes(), 128U);
  EXPECT_EQ(spec.action.count, 6);
  EXPECT_EQ(spec.eval_step_limit, 10'000);
}

TEST(Minatar, ObservationBitsAreInRowColumnChannelOrder) {
  auto env = games().make("minatar/breakout", seeded(0));
  std::vector<std::byte> obs(env->spec().obs.bytes());
  env->reset(obs);
  std::set<int> set_bits;
  for (int bit = 0; bit < 400; ++bit) {
    if ((obs[static_cast<std::size_t>(bit / 8)] >> (bit % 8) & std::byte{1}) != std::byte{0}) {
      set_bits.insert(bit);
    }
  }
  std::set<int> expected = {(9 * 10 + 4) * 4 + 0};  // the paddle
  for (int cell = 10; cell < 40; ++cell) expected.insert(cell * 4 + 3);
  const int corner = set_bits.contains(30 * 4 + 1) ? 30 : 39;  // ball and trail on either side
  expected.insert({corner * 4 + 1, corner * 4 + 2});
  EXPECT_EQ(set_bits, expected);
}

TEST(Minatar, ContinuesIdenticallyAfterSaveAndLoad) {
  for (const std::string& name : games().names()) {
    auto env = started(name, {}, 1);
    play(*env, seeded(2), 1234);
    Tensors saved;
    StateWriter writer(saved);
    env->save(writer);
    auto other = games().make(name, seeded(99));
    other->load(StateReader(saved, "memory"));
    EXPECT_EQ(play(*env, seeded(3), 3000), play(*other, seeded(3), 3000)) << name;
  }
}

TEST(Minatar, TheStreamDecidesTheGame) {
  for (const std::string& name : games().names()) {
    const Played first = play(*started(name, {}, 1), seeded(2), 3000);
    EXPECT_EQ(first, play(*started(name, {}, 1), seeded(2), 3000)) << name;
    EXPECT_NE(first, play(*started(name, {}, 5), seeded(2), 3000)) << name;
  }
}

TEST(Minatar, SettingsReachTheGame) {
  EnvConfig stuck;
  stuck.sticky_actions = 1;  // no request is ever executed
  auto env = started("minatar/breakout", stuck, 1);
  std::vector<std::byte> obs(env->spec().obs.bytes());
  for (int t = 0; t < 5; ++t) env->step(action(1), obs);
  EXPECT_NE(obs[(9 * 10 + 4) * 4 / 8] & std::byte{1}, std::byte{0});
  EnvConfig flat;
  flat.ramping = false;
  EXPECT_NE(play(*started("minatar/asterix", {}, 1), seeded(2), 20'000),
            play(*started("minatar/asterix", flat, 1), seeded(2), 20'000));
}

TEST(Minatar, RefusesAnActionOutsideTheSet) {
  auto env = started("minatar/breakout", {}, 1);
  std::vector<std::byte> obs(env->spec().obs.bytes());
  EXPECT_THROW(env->step(action(3), obs), std::logic_error);
}

TEST(Minatar, DrawsAPicture) {
  std::string why;
  const auto image = started("minatar/breakout", {}, 1)->render(why);
  ASSERT_TRUE(image.has_value());
  EXPECT_EQ(image->rgb.size(), static_cast<std::size_t>(image->width * image->height * 3));
  const auto pixel = [&](int row, int column) {
    const auto at = static_cast<std::size_t>(((row * 16 + 8) * image->width + column * 16 + 8) * 3);
    return std::vector<int>(image->rgb.begin() + static_cast<std::ptrdiff_t>(at),
                            image->rgb.begin() + static_cast<std::ptrdiff_t>(at) + 3);
  };
  EXPECT_NE(pixel(9, 4), pixel(9, 5));  // the paddle and the ground
  EXPECT_NE(pixel(2, 5), pixel(9, 4));  // a brick and the paddle
  EXPECT_EQ(pixel(2, 5), pixel(1, 0));
}

TEST(Minatar, AnObservationShowsTheWholePicture) {
  for (const char* name : {"minatar/breakout", "minatar/seaquest", "minatar/freeway-v0"}) {
    auto env = started(name, {}, 1);
    std::vector<std::byte> obs(env->spec().obs.bytes());
    for (int t = 0; t < 9; ++t) env->step(action(t % 3), obs);
    std::string why;
    EXPECT_EQ(started(name, {}, 2)->picture_of(obs, why).value().rgb, env->render(why).value().rgb);
  }
}

template <class Game>
class MinatarState : public testing::Test {};

using AllGames = testing::Types<minatar::Asterix, minatar::Breakout, minatar::Freeway,
                                minatar::SpaceInvaders, minatar::Seaquest>;
TYPED_TEST_SUITE(MinatarState, AllGames);

TYPED_TEST(MinatarState, ACopyPlaysOnByItself) {
  Rng rng = seeded(4);
  minatar::RngDraws draws{rng};
  minatar::StickyGame<TypeParam> original;
  const auto advance = [](auto& game, auto& source, int steps) {
    int reward = 0;
    for (int t = 0; t < steps; ++t) {
      const minatar::Outcome outcome = game.step(source.index(6), 0.1, source);
      reward += outcome.reward;
      if (outcome.terminal) game.reset(source);
    }
    return reward;
  };
  original.reset(draws);
  advance(original, draws, 777);
  minatar::StickyGame<TypeParam> copy = original;
  Rng copied_rng = rng;
  minatar::RngDraws copied_draws{copied_rng};
  const int reward = advance(original, draws, 2000);
  EXPECT_EQ(advance(copy, copied_draws, 2000), reward);
  EXPECT_EQ(std::memcmp(&copy, &original, sizeof(copy)), 0);
}

// Mean return of uniform random play in the original games, with its standard error.
struct Baseline {
  const char* name;
  int episodes;
  double mean;
  double error;
};

class RandomPlay : public testing::TestWithParam<Baseline> {};

TEST_P(RandomPlay, ScoresAsInTheOriginal) {
  const Baseline& baseline = GetParam();
  auto env = started(baseline.name, {}, 21);
  Rng policy = seeded(22);
  std::vector<std::byte> obs(env->spec().obs.bytes());
  double sum = 0, squares = 0;
  for (int episode = 0; episode < baseline.episodes; ++episode) {
    double total = 0;
    for (bool over = false; !over;) {
      const auto count = static_cast<std::uint32_t>(env->spec().action.count);
      const rl::StepResult result = env->step(action(static_cast<int>(policy.below(count))), obs);
      total += result.score;
      over = result.score_episode_over;
    }
    env->reset(obs);
    sum += total;
    squares += total * total;
  }
  const double mean = sum / baseline.episodes;
  const double variance = squares / baseline.episodes - mean * mean;
  const double error = std::hypot(baseline.error, std::sqrt(variance / baseline.episodes));
  EXPECT_NEAR(mean, baseline.mean, 4 * error) << baseline.name;
}

INSTANTIATE_TEST_SUITE_P(Minatar, RandomPlay,
                         testing::Values(Baseline{"minatar/asterix", 4000, 0.480, 0.013},
                                         Baseline{"minatar/breakout", 6000, 0.400, 0.010},
                                         Baseline{"minatar/freeway", 250, 0.39, 0.04},
                                         Baseline{"minatar/space_invaders", 4000, 4.12, 0.05},
                                         Baseline{"minatar/seaquest", 4000, 0.083, 0.007},
                                         Baseline{"minatar/asterix-v0", 4000, 0.492, 0.013},
                                         Baseline{"minatar/breakout-v0", 6000, 0.523, 0.012},
                                         Baseline{"minatar/freeway-v0", 250, 0.16, 0.03},
                                         Baseline{"minatar/space_invaders-v0", 4000, 2.81, 0.04}));

}  // namespace

}  // namespace tarl::envs
