// SPDX-License-Identifier: MIT
#include "tarl/envs/atari/atari_env.h"

#include <algorithm>
#include <cstring>

#include "tarl/core/error.h"

namespace tarl::envs::atari {

namespace {

constexpr std::size_t kPicture = std::size_t{kPictureSide} * kPictureSide;

float sign(int points) {
  return static_cast<float>((points > 0) - (points < 0));
}

}  // namespace

rl::EnvSpec make_spec(std::string name, int actions) {
  rl::EnvSpec spec;
  spec.name = std::move(name);
  spec.title = "84x84 grey pixels, 4 frames, " + std::to_string(actions) + " actions";
  spec.obs = {rl::ObsKind::kBytes, kFrameStack, kPictureSide, kPictureSide, kFrameStack};
  spec.action.count = actions;
  spec.step_seconds = GameSettings{}.frame_skip / 60.0;
  return spec;
}

AtariEnv::AtariEnv(std::string name, std::unique_ptr<Emulator> emulator,
                   const GameSettings& settings, Rng rng)
    : spec_(make_spec(std::move(name), static_cast<int>(emulator->actions().size()))),
      game_(std::move(emulator), settings, rng.fork("sticky")),
      pool_(game_.emulator().palette()),
      resize_(game_.emulator().height(), game_.emulator().width(), kPictureSide, kPictureSide),
      noop_stream_(rng.fork("noops")),
      fire_on_reset_(game_.actions().size() >= 3 && game_.actions()[1] == kFire),
      stack_(kFrameStack * kPicture),
      grey_(game_.screen().size()) {}

void AtariEnv::reset(std::span<std::byte> obs) {
  begin_life();
  if (fire_on_reset_) {
    for (const int action : {kFire, game_.actions()[2]}) {
      const Played played = play(action);
      if (played.terminated || played.truncated) begin_life();
    }
  }
  std::ranges::fill(stack_, std::uint8_t{0});
  push_picture();
  std::memcpy(obs.data(), stack_.data(), stack_.size());
}

rl::StepResult AtariEnv::step(const rl::Action& action, std::span<std::byte> obs) {
  require(action.index >= 0 && action.index < spec_.action.count, "no such action");
  const Played played = play(game_.actions()[static_cast<std::size_t>(action.index)]);
  push_picture();
  std::memcpy(obs.data(), stack_.data(), stack_.size());
  rl::StepResult result;
  result.reward = sign(played.points);
  result.terminated = played.terminated;
  result.truncated = played.truncated;
  report_score(result);
  return result;
}

AtariEnv::Played AtariEnv::play(int action) {
  Played played;
  played.points = game_.hold(action).points;
  played.terminated = game_.over();
  played.truncated = !played.terminated && game_.truncated();
  game_ended_ = played.terminated || played.truncated;
  // Some games show no lives for a moment between two of them (Qbert): that ends nothing.
  const int lives = game_.lives();
  if (lives > 0 && lives < lives_) played.terminated = true;
  lives_ = lives;
  count(played.points);
  return played;
}

void AtariEnv::begin_life() {
  if (!game_ended_) play(kNoop);
  if (game_ended_) begin_game();
  lives_ = game_.lives();
}

void AtariEnv::begin_game() {
  const int noops = 1 + static_cast<int>(noop_stream_.below(kMostNoops));
  points_ = game_.start(noops);
  game_ended_ = false;
}

void AtariEnv::count(int points) {
  points_ += points;
  if (!game_ended_) return;
  ended_games_.push_back(points_);
  points_ = 0;
}

void AtariEnv::report_score(rl::StepResult& result) {
  if (ended_games_.empty()) {
    result.score = static_cast<float>(points_);
    points_ = 0;
    return;
  }
  result.score = static_cast<float>(ended_games_.front());
  result.score_episode_over = true;
  ended_games_.erase(ended_games_.begin());
}

void AtariEnv::push_picture() {
  const auto previous = game_.previous_screen(), screen = game_.screen();
  pool_.follow(game_.emulator().palette());
  pool_(previous, screen, grey_);
  std::memmove(stack_.data(), stack_.data() + kPicture, stack_.size() - kPicture);
  resize_(grey_, std::span(stack_).last(kPicture));
}

void AtariEnv::save(StateWriter& out) const {
  game_.save(out);
  out.put("noop_stream", noop_stream_);
  out.put("game_ended", std::uint8_t{game_ended_});
  out.put("lives", lives_);
  out.put("points", points_);
  out.put("ended_games", ended_games_);
  out.put("stack", stack_);
}

void AtariEnv::load(const StateReader& in) {
  game_.load(in);
  in.get("noop_stream", noop_stream_);
  std::uint8_t game_ended = 0;
  in.get("game_ended", game_ended);
  game_ended_ = game_ended != 0;
  in.get("lives", lives_);
  in.get("points", points_);
  ended_games_ = in.get_vector<std::int64_t>("ended_games");
  in.get("stack", stack_);
}

std::optional<rl::Image> AtariEnv::render(std::string&) const {
  const Emulator& emulator = game_.emulator();
  rl::Image image{emulator.width(), emulator.height(), {}};
  image.rgb.reserve(emulator.screen().size() * 3);
  for (const std::uint8_t pixel : emulator.screen()) {
    const Rgb& colour = emulator.palette()[pixel];
    image.rgb.insert(image.rgb.end(), {colour.red, colour.green, colour.blue});
  }
  return image;
}

}  // namespace tarl::envs::atari
