// SPDX-License-Identifier: MIT
#include "tarl/envs/box2d/bipedal_walker.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "tarl/core/error.h"
#include "tarl/envs/registry.h"

namespace tarl::envs::box2d {

namespace {

constexpr double kTorqueCost = 0.00035 * 80;  // per unit of torque
constexpr double kGoalX = (kTerrainPoints - 10) * kTerrainStep;
constexpr std::size_t kTimeLimit = 1600;
constexpr std::size_t kHardcoreTimeLimit = 2000;
constexpr double kFirstPush = 5;

constexpr int kPictureWidth = 600;
constexpr int kPictureHeight = 400;
constexpr Colour kSky = {215, 215, 255};
constexpr Colour kCloud = {250, 250, 255};
constexpr Colour kEarth = {102, 153, 76};
constexpr Colour kGrassColour = {60, 190, 60};
constexpr Colour kStone = {150, 150, 150};
constexpr Colour kHull = {127, 51, 229};
constexpr std::array<Colour, 2> kLegs = {{{178, 101, 152}, {128, 51, 102}}};

void write_obs(const WalkerWorld& world, std::span<std::byte> out) {
  const std::array<float, kWalkerObs> values = world.observe();
  require(out.size() == sizeof values, "observation buffer of another size");
  std::memcpy(out.data(), values.data(), sizeof values);
}

}  // namespace

WalkerEpisode::WalkerEpisode(bool hardcore, Draws& draws)
    : terrain_(draw_terrain(hardcore, draws)),
      clouds_(draw_clouds(draws)),
      push_(draws.real(-kFirstPush, kFirstPush)),
      world_(terrain_, push_) {
  world_.step({});
  shaping_ = shaping();
}

// What the reward is the change of: progress, less what leaning costs.
double WalkerEpisode::shaping() const {
  return 130 * world_.hull_x() / kPixelsPerMetre - 5.0 * std::fabs(world_.hull_angle());
}

WalkerEpisode::Outcome WalkerEpisode::advance(const Torques& torques) {
  world_.step(torques);
  const double before = shaping_;
  shaping_ = shaping();
  Outcome out{shaping_ - before, false};
  for (const double torque : torques) {
    out.reward -= kTorqueCost * std::clamp(std::fabs(torque), 0.0, 1.0);
  }
  if (world_.hull_touched() || world_.hull_x() < 0) out = {-100, true};
  if (world_.hull_x() > kGoalX) out.terminated = true;
  return out;
}

rl::Image WalkerEpisode::draw() const {
  Canvas canvas(kPictureWidth, kPictureHeight, kSky);
  const double scroll = world_.hull_x() - kPictureWidth / kPixelsPerMetre / 5;
  canvas.set_view(scroll / 2, 0, kPixelsPerMetre);  // far away: clouds move at half speed
  for (const auto& cloud : clouds_) canvas.polygon(cloud, kCloud);
  canvas.set_view(scroll, 0, kPixelsPerMetre);
  for (std::size_t i = 0; i + 1 < terrain_.line.size(); ++i) {
    const Point a = terrain_.line[i], b = terrain_.line[i + 1];
    canvas.polygon(Quad{{a, b, {b.x, 0}, {a.x, 0}}}, kEarth);
    canvas.capsule(a, b, 0.05, kGrassColour);
  }
  for (const Quad& block : terrain_.blocks) canvas.polygon(block, kStone);
  const auto outlines = world_.outlines();
  for (const std::size_t i : {1, 2}) canvas.polygon(outlines[i], kLegs[0]);
  canvas.polygon(outlines[0], kHull);
  for (const std::size_t i : {3, 4}) canvas.polygon(outlines[i], kLegs[1]);
  return canvas.take();
}

BipedalWalker::BipedalWalker(bool hardcore, Rng rng) : hardcore_(hardcore), rng_(rng) {
  spec_.name = hardcore ? "box2d/bipedal_walker_hardcore" : "box2d/bipedal_walker";
  spec_.title = "24 numbers, 4 torques";
  spec_.obs = {.kind = rl::ObsKind::kFloats, .width = kWalkerObs};
  spec_.action.size = kWalkerJoints;
  std::fill_n(spec_.action.low.begin(), kWalkerJoints, -1.0F);
  std::fill_n(spec_.action.high.begin(), kWalkerJoints, 1.0F);
}

void BipedalWalker::begin_episode() {
  episode_rng_ = rng_;
  RngDraws draws(rng_);
  episode_ = std::make_unique<WalkerEpisode>(hardcore_, draws);
}

WalkerEpisode::Outcome BipedalWalker::play(std::size_t step) {
  Torques torques;
  std::copy_n(actions_.begin() + static_cast<std::ptrdiff_t>(step * kWalkerJoints), kWalkerJoints,
              torques.begin());
  return episode_->advance(torques);
}

void BipedalWalker::reset(std::span<std::byte> obs) {
  actions_.clear();
  begin_episode();
  write_obs(episode_->world(), obs);
}

rl::StepResult BipedalWalker::step(const rl::Action& action, std::span<std::byte> obs) {
  require(episode_ != nullptr, "step before reset");
  actions_.insert(actions_.end(), action.values.begin(), action.values.begin() + kWalkerJoints);
  const std::size_t steps = actions_.size() / kWalkerJoints;
  const WalkerEpisode::Outcome outcome = play(steps - 1);
  rl::StepResult result;
  result.reward = result.score = static_cast<float>(outcome.reward);
  result.terminated = outcome.terminated;
  result.truncated = !outcome.terminated && steps >= (hardcore_ ? kHardcoreTimeLimit : kTimeLimit);
  result.score_episode_over = result.done();
  write_obs(episode_->world(), obs);
  return result;
}

void BipedalWalker::save(StateWriter& out) const {
  const bool started = episode_ != nullptr;
  out.put("started", started);
  out.put("rng", started ? episode_rng_ : rng_);
  out.put("actions", actions_);
  out.put("hash", started ? episode_->world().hash() : std::uint64_t{0});
}

void BipedalWalker::load(const StateReader& in) {
  bool started = false;
  std::uint64_t hash = 0;
  in.get("started", started);
  in.get("rng", rng_);
  actions_ = in.get_vector<float>("actions");
  in.get("hash", hash);
  episode_.reset();
  if (!started) return;
  begin_episode();
  for (std::size_t step = 0; step < actions_.size() / kWalkerJoints; ++step) play(step);
  if (episode_->world().hash() != hash) {
    throw Error(spec_.name +
                ": playing the episode again did not lead to the saved state; was the "
                "checkpoint made with another build of Box2D?");
  }
}

std::optional<rl::Image> BipedalWalker::render(std::string& why) const {
  if (episode_ != nullptr) return episode_->draw();
  why = spec_.name + " has nothing to draw before its first reset";
  return std::nullopt;
}

}  // namespace tarl::envs::box2d

namespace tarl::envs {

void add_box2d(Registry& registry) {
  registry.note_library("Box2D", box2d::library_version());
  const auto add = [&](std::string name, std::string alias, std::string title, bool hardcore) {
    registry.add({.name = std::move(name),
                  .aliases = {std::move(alias)},
                  .title = std::move(title),
                  .make =
                      [hardcore](const EnvConfig&, Rng rng) {
                        return std::make_unique<box2d::BipedalWalker>(hardcore, rng);
                      },
                  .action_size = box2d::kWalkerJoints});
  };
  add("box2d/bipedal_walker", "BipedalWalker-v3", "two legs on rolling grass", false);
  add("box2d/bipedal_walker_hardcore", "BipedalWalkerHardcore-v3",
      "two legs over stumps, stairs and pits", true);
}

}  // namespace tarl::envs
