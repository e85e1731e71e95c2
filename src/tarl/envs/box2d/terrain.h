// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <vector>

#include "tarl/envs/box2d/bodies.h"
#include "tarl/envs/box2d/draws.h"
#include "tarl/envs/drawing/canvas.h"

namespace tarl::envs::box2d {

inline constexpr int kTerrainPoints = 200;
inline constexpr int kStartPad = 20;  // flat points before the ground gets rough
inline constexpr double kTerrainStep = 14 / kPixelsPerMetre;         // metres between points
inline constexpr double kTerrainHeight = 400 / kPixelsPerMetre / 4;  // metres

using Quad = std::array<Point, 4>;

struct Terrain {
  std::vector<Point> line;   // [kTerrainPoints] the ground
  std::vector<Quad> blocks;  // obstacles of the hardcore task: stumps, stairs, walls of pits
};

Terrain draw_terrain(bool hardcore, Draws& draws);

// For the picture only; their draws come between those of the terrain and of the first push.
std::vector<std::vector<Point>> draw_clouds(Draws& draws);

}  // namespace tarl::envs::box2d
