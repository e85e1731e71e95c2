// SPDX-License-Identifier: MIT
#include "tarl/envs/box2d/bodies.h"

#include <Box2D/Box2D.h>

namespace tarl::envs::box2d {

std::string library_version() {
  return std::to_string(b2_version.major) + "." + std::to_string(b2_version.minor) + "." +
         std::to_string(b2_version.revision);
}

BodyState state_of(const b2Body& body) {
  const b2Vec2 at = body.GetPosition(), velocity = body.GetLinearVelocity();
  return {at.x, at.y, body.GetAngle(), velocity.x, velocity.y, body.GetAngularVelocity()};
}

std::vector<Point> outline_of(const b2Body& body) {
  const auto* shape = static_cast<const b2PolygonShape*>(body.GetFixtureList()->GetShape());
  std::vector<Point> corners;
  for (int corner = 0; corner < shape->GetVertexCount(); ++corner) {
    const b2Vec2 at = body.GetWorldPoint(shape->GetVertex(corner));
    corners.push_back({at.x, at.y});
  }
  return corners;
}

bool touches(b2Contact& contact, const b2Body* body) {
  return contact.GetFixtureA()->GetBody() == body || contact.GetFixtureB()->GetBody() == body;
}

b2Vec2 vec(double x, double y) {
  return {static_cast<float>(x), static_cast<float>(y)};
}

}  // namespace tarl::envs::box2d
