// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <vector>

#include "tarl/core/rng.h"
#include "tarl/envs/drawing/canvas.h"

namespace tarl::envs::box2d {

inline constexpr double kPixelsPerMetre = 30.0;
inline constexpr int kTerrainPoints = 200;
inline constexpr int kStartPad = 20;  // flat points before the ground gets rough
inline constexpr double kTerrainStep = 14 / kPixelsPerMetre;         // metres between points
inline constexpr double kTerrainHeight = 400 / kPixelsPerMetre / 4;  // metres

// The random numbers of a reset, in the order in which Gymnasium draws them.
class Draws {
 public:
  virtual ~Draws() = default;
  virtual double real(double low, double high) = 0;  // in [low, high)
  virtual int integer(int low, int high) = 0;        // in [low, high)
};

class RngDraws final : public Draws {
 public:
  explicit RngDraws(Rng& rng) : rng_(&rng) {}

  double real(double low, double high) override { return low + (high - low) * rng_->uniform(); }

  int integer(int low, int high) override {
    return low + static_cast<int>(rng_->below(static_cast<std::uint32_t>(high - low)));
  }

 private:
  Rng* rng_;
};

using Quad = std::array<Point, 4>;

struct Terrain {
  std::vector<Point> line;   // [kTerrainPoints] the ground
  std::vector<Quad> blocks;  // obstacles of the hardcore task: stumps, stairs, walls of pits
};

Terrain draw_terrain(bool hardcore, Draws& draws);

// For the picture only; their draws come between those of the terrain and of the first push.
std::vector<std::vector<Point>> draw_clouds(Draws& draws);

}  // namespace tarl::envs::box2d
