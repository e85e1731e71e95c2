// SPDX-License-Identifier: MIT
//
// The share of the emulator's speed that the Atari environment preserves: bench_atari_env [game...]
// Plays randomly on the bare emulator and through the whole environment in turns, and prints both
// rates, in emulated frames per second of processor time, and their ratio for each game.

#include "tarl/envs/atari/atari_env.h"

#include <algorithm>
#include <cstdio>
#include <ctime>
#include <string>
#include <vector>

#include "tarl/envs/atari/ale/ale_emulator.h"
#include "tarl/envs/atari/ale/roms.h"

namespace {

using namespace tarl::envs::atari;

constexpr int kRounds = 20, kStepsPerRound = 250, kSkip = 4;

double processor_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

// Forwards all calls and counts frames.
class Counted final : public Emulator {
 public:
  Counted(std::unique_ptr<Emulator> inner, long& frames)
      : inner_(std::move(inner)), frames_(frames) {}

  const std::string& game() const override { return inner_->game(); }

  std::span<const int> actions() const override { return inner_->actions(); }

  void reset() override { inner_->reset(); }

  int act(int action) override {
    ++frames_;
    return inner_->act(action);
  }

  bool game_over() const override { return inner_->game_over(); }

  int lives() const override { return inner_->lives(); }

  std::span<const std::uint8_t> screen() const override { return inner_->screen(); }

  int height() const override { return inner_->height(); }

  int width() const override { return inner_->width(); }

  const Palette& palette() const override { return inner_->palette(); }

  void save(tarl::StateWriter& out) const override { inner_->save(out); }

  void load(const tarl::StateReader& in) override { inner_->load(in); }

 private:
  std::unique_ptr<Emulator> inner_;
  long& frames_;
};

std::unique_ptr<Emulator> emulator(const std::string& game, long& frames) {
  return std::make_unique<Counted>(std::make_unique<AleEmulator>(game, find_rom(game, ""), 0),
                                   frames);
}

void play_bare(Emulator& console, tarl::Rng& rng) {
  for (int step = 0; step < kStepsPerRound; ++step) {
    const int action =
        console.actions()[rng.below(static_cast<std::uint32_t>(console.actions().size()))];
    for (int frame = 0; frame < kSkip && !console.game_over(); ++frame) console.act(action);
    if (console.game_over()) console.reset();
  }
}

void play_env(AtariEnv& env, std::vector<std::byte>& obs, tarl::Rng& rng) {
  for (int step = 0; step < kStepsPerRound; ++step) {
    tarl::rl::Action action;
    action.index = static_cast<int>(rng.below(static_cast<std::uint32_t>(env.spec().action.count)));
    if (env.step(action, obs).done()) env.reset(obs);
  }
}

void compare(const std::string& game) {
  long bare_frames = 0, env_frames = 0;
  const auto bare = emulator(game, bare_frames);
  bare->reset();
  AtariEnv env(game, emulator(game, env_frames), {}, tarl::seeded(0));
  std::vector<std::byte> obs(env.spec().obs.bytes());
  env.reset(obs);
  tarl::Rng bare_rng = tarl::seeded(1), env_rng = tarl::seeded(1);
  double bare_rate = 0, env_rate = 0;
  for (int round = 0; round < kRounds; ++round) {
    bare_frames = env_frames = 0;
    const double start = processor_seconds();
    play_bare(*bare, bare_rng);
    const double middle = processor_seconds();
    play_env(env, obs, env_rng);
    const double end = processor_seconds();
    bare_rate = std::max(bare_rate, static_cast<double>(bare_frames) / (middle - start));
    env_rate = std::max(env_rate, static_cast<double>(env_frames) / (end - middle));
  }
  std::printf("%-20s emulator %6.0f frames/s, environment %6.0f frames/s, ratio %.3f\n",
              game.c_str(), bare_rate, env_rate, env_rate / bare_rate);
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<std::string> games(argv + 1, argv + argc);
  if (games.empty()) games = {"breakout", "pong", "qbert", "phoenix", "bowling", "riverraid"};
  for (const std::string& game : games) compare(game);
}
