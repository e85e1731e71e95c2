// SPDX-License-Identifier: MIT
#include "tarl/envs/mujoco/picture.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include <mujoco/mujoco.h>

#include "tarl/envs/drawing/canvas.h"
#include "tarl/envs/mujoco/arrays.h"

namespace tarl::envs::mujoco {

namespace {

constexpr int kWidth = 480;
constexpr int kHeight = 360;
constexpr Colour kSky = {222, 230, 240};
constexpr Colour kGround = {170, 176, 184};
constexpr Colour kMark = {146, 152, 160};
constexpr double kMarkWidth = 0.04;   // metres, one mark every metre
constexpr double kGroundShare = 0.2;  // of the height, seen from the side

struct Stroke {
  double depth = 0;  // larger is nearer
  Point from, to;
  double radius = 0;
  Colour colour{};
};

Colour colour_of(const mjModel& model, int geom) {
  const int material = model.geom_matid[geom];
  const float* rgba =
      material >= 0 ? row_of(model.mat_rgba, 4, material) : row_of(model.geom_rgba, 4, geom);
  Colour colour;
  for (std::size_t i = 0; i < 3; ++i) {
    colour[i] = static_cast<std::uint8_t>(255 * std::clamp(rgba[i], 0.0F, 1.0F));
  }
  return colour;
}

Stroke stroke_of(const mjModel& model, const mjData& data, int geom, const View& view) {
  const mjtNum* centre = row_of(data.geom_xpos, 3, geom);
  const mjtNum* rotation = row_of(data.geom_xmat, 9, geom);
  const mjtNum* size = row_of(model.geom_size, 3, geom);
  const bool round = model.geom_type[geom] == mjGEOM_SPHERE;
  const double half = round ? 0 : size[1];
  const int up = view.from_above ? 1 : 2, depth = view.from_above ? 2 : 1;
  const double across = rotation[2], upwards = row_of(rotation, 3, up)[2];  // of the long axis
  const auto end = [&](double along) {
    return Point{centre[0] + along * across, centre[up] + along * upwards};
  };
  return {view.from_above ? centre[depth] : -centre[depth], end(-half), end(half), size[0],
          colour_of(model, geom)};
}

// Marks along the ground for a moving view: a stripe every metre, every tenth one longer.
void draw_marks(Canvas& canvas, double left, double right, double bottom) {
  for (auto metre = static_cast<int>(std::ceil(left)); metre <= right; ++metre) {
    const double depth = metre % 10 == 0 ? bottom : 0.4 * bottom, x = metre;
    canvas.polygon(std::array<Point, 4>{{{x - kMarkWidth / 2, 0},
                                         {x + kMarkWidth / 2, 0},
                                         {x + kMarkWidth / 2, depth},
                                         {x - kMarkWidth / 2, depth}}},
                   kMark);
  }
}

}  // namespace

rl::Image draw(const mjModel& model, const mjData& data, const View& view) {
  std::vector<Stroke> strokes;
  for (int geom = 0; geom < model.ngeom; ++geom) {
    const int type = model.geom_type[geom];
    if (type == mjGEOM_SPHERE || type == mjGEOM_CAPSULE || type == mjGEOM_CYLINDER) {
      strokes.push_back(stroke_of(model, data, geom, view));
    }
  }
  std::stable_sort(strokes.begin(), strokes.end(),
                   [](const Stroke& a, const Stroke& b) { return a.depth < b.depth; });

  const double scale = kWidth / view.width, height = kHeight / scale;
  const mjtNum* body = data.xpos + 3;
  const double middle = view.follows ? body[0] : 0;
  const double centre_y = view.follows ? body[1] : 0;
  const double bottom = view.from_above ? centre_y - height / 2 : -kGroundShare * height;
  Canvas canvas(kWidth, kHeight, kSky);
  canvas.set_view(middle - view.width / 2, bottom, scale);
  const double left = middle - view.width, right = middle + view.width;
  if (!view.from_above) {
    canvas.polygon(std::array<Point, 4>{{{left, 0}, {right, 0}, {right, bottom}, {left, bottom}}},
                   kGround);
    draw_marks(canvas, left, right, bottom);
  }
  for (const Stroke& stroke : strokes) {
    canvas.capsule(stroke.from, stroke.to, stroke.radius, stroke.colour);
  }
  return canvas.take();
}

}  // namespace tarl::envs::mujoco
