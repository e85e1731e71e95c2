// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <string>
#include <vector>

#include "tarl/envs/drawing/canvas.h"

class b2Body;
class b2Contact;
struct b2Vec2;

// What the Box2D tasks share: units, and the observable state of a body.
namespace tarl::envs::box2d {

inline constexpr double kPixelsPerMetre = 30.0;
inline constexpr double kStepsPerSecond = 50;
inline constexpr int kViewPixelsWide = 600;
inline constexpr int kViewPixelsHigh = 400;
inline constexpr double kViewWidth = kViewPixelsWide / kPixelsPerMetre;   // metres
inline constexpr double kViewHeight = kViewPixelsHigh / kPixelsPerMetre;  // metres

// The linked library's version, e.g. "2.3.0".
std::string library_version();

// x, y, angle, velocity x, velocity y, angular velocity
using BodyState = std::array<float, 6>;

BodyState state_of(const b2Body& body);

// The corners of a body that is one polygon, in the world.
std::vector<Point> outline_of(const b2Body& body);

// Whether a body is one of the two that touch.
bool touches(b2Contact& contact, const b2Body* body);

// Rounded to Box2D's single precision.
b2Vec2 vec(double x, double y);

}  // namespace tarl::envs::box2d
