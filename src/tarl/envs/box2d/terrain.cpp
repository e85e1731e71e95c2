// SPDX-License-Identifier: MIT
#include "tarl/envs/box2d/terrain.h"

#include <algorithm>
#include <cmath>

namespace tarl::envs::box2d {

namespace {

enum class Segment { kGrass, kStump, kStairs, kPit };

// Walks along the ground point by point. The first point of a segment places its obstacles and
// keeps the height; the following ones shape the ground.
class Surveyor {
 public:
  Surveyor(bool hardcore, Draws& draws) : hardcore_(hardcore), draws_(&draws) {}

  Terrain run() {
    for (int i = 0; i < kTerrainPoints; ++i) {
      x_ = i * kTerrainStep;
      if (first_) {
        begin_segment();
      } else {
        continue_segment(i);
      }
      first_ = false;
      terrain_.line.push_back({x_, y_});
      if (--left_ == 0) next_segment();
    }
    return std::move(terrain_);
  }

 private:
  void begin_segment() {
    switch (segment_) {
      case Segment::kGrass:
        break;
      case Segment::kStump:
        begin_stump();
        break;
      case Segment::kStairs:
        begin_stairs();
        break;
      case Segment::kPit:
        begin_pit();
        break;
    }
  }

  void continue_segment(int i) {
    switch (segment_) {
      case Segment::kGrass:
        roll_grass(i);
        break;
      case Segment::kStump:
        break;
      case Segment::kStairs:
        climb_stairs();
        break;
      case Segment::kPit:
        y_ = left_ > 1 ? start_y_ - 4 * kTerrainStep : start_y_;
        break;
    }
  }

  void next_segment() {
    left_ = draws_->integer(5, 10);
    const bool obstacle = hardcore_ && segment_ == Segment::kGrass;
    segment_ = obstacle ? static_cast<Segment>(draws_->integer(1, 4)) : Segment::kGrass;
    first_ = true;
  }

  void roll_grass(int i) {
    const double pull = kTerrainHeight > y_ ? 1.0 : kTerrainHeight < y_ ? -1.0 : 0.0;
    slope_ = 0.8 * slope_ + 0.01 * pull;
    if (i > kStartPad) slope_ += draws_->real(-1, 1) / kPixelsPerMetre;
    y_ += slope_;
  }

  void begin_stump() {
    left_ = draws_->integer(1, 3);
    const double side = left_ * kTerrainStep;
    terrain_.blocks.push_back(
        {{{x_, y_}, {x_ + side, y_}, {x_ + side, y_ + side}, {x_, y_ + side}}});
  }

  void begin_stairs() {
    rise_ = draws_->real(0, 1) > 0.5 ? 1 : -1;
    width_ = draws_->integer(4, 5);
    steps_ = draws_->integer(3, 5);
    start_y_ = y_;
    for (int step = 0; step < steps_; ++step) {
      const double left = x_ + step * width_ * kTerrainStep;
      const double right = x_ + (1 + step) * width_ * kTerrainStep;
      const double top = y_ + step * rise_ * kTerrainStep;
      const double bottom = y_ + (-1 + step * rise_) * kTerrainStep;
      terrain_.blocks.push_back({{{left, top}, {right, top}, {right, bottom}, {left, bottom}}});
    }
    left_ = steps_ * width_;
  }

  void climb_stairs() {
    const double climbed = static_cast<double>(steps_ * width_ - left_ - rise_) / width_;
    y_ = start_y_ + climbed * rise_ * kTerrainStep;
  }

  void begin_pit() {
    left_ = draws_->integer(3, 5);
    const double bottom = y_ - 4 * kTerrainStep, gap = kTerrainStep * left_;
    const double right = x_ + kTerrainStep;
    terrain_.blocks.push_back({{{x_, y_}, {right, y_}, {right, bottom}, {x_, bottom}}});
    terrain_.blocks.push_back(
        {{{x_ + gap, y_}, {right + gap, y_}, {right + gap, bottom}, {x_ + gap, bottom}}});
    left_ += 2;
    start_y_ = y_;
  }

  bool hardcore_;
  Draws* draws_;
  Terrain terrain_;
  Segment segment_ = Segment::kGrass;
  bool first_ = false;
  int left_ = kStartPad;  // points until the next segment
  double x_ = 0;
  double y_ = kTerrainHeight;
  double slope_ = 0;
  double start_y_ = 0;
  int rise_ = 0;
  int width_ = 0;
  int steps_ = 0;
};

}  // namespace

Terrain draw_terrain(bool hardcore, Draws& draws) {
  return Surveyor(hardcore, draws).run();
}

std::vector<std::vector<Point>> draw_clouds(Draws& draws) {
  std::vector<std::vector<Point>> clouds;
  for (int i = 0; i < kTerrainPoints / 20; ++i) {
    const double x = draws.real(0, kTerrainPoints) * kTerrainStep;
    const double y = kTerrainHeight * 3;
    std::vector<Point> corners;
    for (int corner = 0; corner < 5; ++corner) {
      const double angle = 3.14 * 2 * corner / 5;
      const double right = draws.real(0, 5 * kTerrainStep);
      const double up = draws.real(0, 5 * kTerrainStep);
      corners.push_back({x + 15 * kTerrainStep * std::sin(angle) + right,
                         y + 5 * kTerrainStep * std::cos(angle) + up});
    }
    clouds.push_back(std::move(corners));
  }
  return clouds;
}

}  // namespace tarl::envs::box2d
