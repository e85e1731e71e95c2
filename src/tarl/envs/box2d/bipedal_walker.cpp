// SPDX-License-Identifier: MIT
#include "tarl/envs/box2d/bipedal_walker.h"

#include <algorithm>
#include <cmath>

namespace tarl::envs::box2d {

namespace {

constexpr double kTorqueCost = 0.00035 * 80;  // per unit of torque
constexpr double kGoalX = (kTerrainPoints - 10) * kTerrainStep;
constexpr std::size_t kTimeLimit = 1600;
constexpr std::size_t kHardcoreTimeLimit = 2000;
constexpr double kFirstPush = 5;

constexpr Colour kSky = {215, 215, 255};
constexpr Colour kCloud = {250, 250, 255};
constexpr Colour kEarth = {102, 153, 76};
constexpr Colour kGrassColour = {60, 190, 60};
constexpr Colour kStone = {150, 150, 150};
constexpr Colour kHull = {127, 51, 229};
constexpr std::array<Colour, 2> kLegs = {{{178, 101, 152}, {128, 51, 102}}};

// One leg behind the hull, one in front of it.
void draw_walker(const WalkerWorld& world, Canvas& canvas) {
  const auto outlines = world.outlines();
  for (const std::size_t i : {1, 2}) canvas.polygon(outlines[i], kLegs[0]);
  canvas.polygon(outlines[0], kHull);
  for (const std::size_t i : {3, 4}) canvas.polygon(outlines[i], kLegs[1]);
}

// The walker, and the ground that its lidar hits.
rl::Image draw_observed(std::span<const float> obs) {
  constexpr int kSidePixels = 320;
  constexpr double kScale = 40, kBehind = 2.5, kBelow = 4;  // pixels per metre; metres from hull
  WalkerWorld world(Terrain(), 0);
  world.pose(obs);
  Canvas canvas(kSidePixels, kSidePixels, kSky);
  const double low = world.bodies()[0][1] - kBelow;
  canvas.set_view(world.hull_x() - kBehind, low, kScale);
  const std::vector<Point> ground = world.ground_seen(obs);
  for (std::size_t i = 0; i + 1 < ground.size(); ++i) {
    const Point a = ground[i], b = ground[i + 1];
    canvas.polygon(Quad{{a, b, {b.x, low}, {a.x, low}}}, kEarth);
    canvas.capsule(a, b, 0.05, kGrassColour);
  }
  draw_walker(world, canvas);
  return canvas.take();
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

// The potential whose change is the reward: progress, less the penalty for leaning.
double WalkerEpisode::shaping() const {
  return 130 * world_.hull_x() / kPixelsPerMetre - 5.0 * std::fabs(world_.hull_angle());
}

Episode::Outcome WalkerEpisode::advance(const Torques& torques) {
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

Episode::Outcome WalkerEpisode::play(std::span<const float> action, Draws&) {
  Torques torques;
  std::copy(action.begin(), action.end(), torques.begin());
  return advance(torques);
}

void WalkerEpisode::observe(std::span<float> out) const {
  const std::array<float, kWalkerObs> values = world_.observe();
  std::copy(values.begin(), values.end(), out.begin());
}

rl::Image WalkerEpisode::draw() const {
  Canvas canvas(kViewPixelsWide, kViewPixelsHigh, kSky);
  const double scroll = world_.hull_x() - kViewWidth / 5;
  canvas.set_view(scroll / 2, 0, kPixelsPerMetre);  // parallax: clouds move at half speed
  for (const auto& cloud : clouds_) canvas.polygon(cloud, kCloud);
  canvas.set_view(scroll, 0, kPixelsPerMetre);
  for (std::size_t i = 0; i + 1 < terrain_.line.size(); ++i) {
    const Point a = terrain_.line[i], b = terrain_.line[i + 1];
    canvas.polygon(Quad{{a, b, {b.x, 0}, {a.x, 0}}}, kEarth);
    canvas.capsule(a, b, 0.05, kGrassColour);
  }
  for (const Quad& block : terrain_.blocks) canvas.polygon(block, kStone);
  draw_walker(world_, canvas);
  return canvas.take();
}

std::unique_ptr<rl::Environment> make_bipedal_walker(bool hardcore, Rng rng) {
  return std::make_unique<ReplayedEnv>(
      box2d_spec(hardcore ? "box2d/bipedal_walker_hardcore" : "box2d/bipedal_walker", kWalkerObs,
                 kWalkerJoints),
      hardcore ? kHardcoreTimeLimit : kTimeLimit,
      [hardcore](Draws& draws) { return std::make_unique<WalkerEpisode>(hardcore, draws); }, rng,
      draw_observed);
}

}  // namespace tarl::envs::box2d
