// SPDX-License-Identifier: MIT
#include "tarl/envs/box2d/walker_world.h"

#include <algorithm>
#include <cmath>

#include <Box2D/Box2D.h>

#include "tarl/core/files.h"

namespace tarl::envs::box2d {

namespace {

constexpr double kLidarRange = 160 / kPixelsPerMetre;
constexpr int kLidarRays = 10;
constexpr double kLegDown = -8 / kPixelsPerMetre;
constexpr double kLegWidth = 8 / kPixelsPerMetre;
constexpr double kLegHeight = 34 / kPixelsPerMetre;
constexpr std::array<std::size_t, kWalkerJoints> kJointAngleAt = {4, 6, 9, 11};  // in observations
constexpr double kMaxTorque = 80;
constexpr std::array<double, kWalkerJoints> kJointSpeed = {4, 6, 4, 6};  // hip, knee, hip, knee
constexpr float kGroundFriction = 2.5F;
constexpr uint16 kGroundCategory = 0x0001;
constexpr uint16 kWalkerCategory = 0x0020;

b2FixtureDef walker_part(const b2Shape& shape, float density) {
  b2FixtureDef fixture;
  fixture.shape = &shape;
  fixture.density = density;
  fixture.filter.categoryBits = kWalkerCategory;
  fixture.filter.maskBits = kGroundCategory;
  return fixture;
}

// The point at a fraction of a lidar ray.
b2Vec2 ray_end(const b2Vec2& eye, int ray, double share) {
  const double angle = 1.5 * ray / 10.0, reach = share * kLidarRange;
  return vec(eye.x + std::sin(angle) * reach, eye.y - std::cos(angle) * reach);
}

// The nearest ground hit by a ray.
class Lidar final : public b2RayCastCallback {
 public:
  float32 ReportFixture(b2Fixture* fixture, const b2Vec2&, const b2Vec2&,
                        float32 fraction) override {
    if ((fixture->GetFilterData().categoryBits & kGroundCategory) == 0) return -1;
    nearest_ = fraction;
    return fraction;
  }

  float nearest() const { return nearest_; }

 private:
  float nearest_ = 1;
};

}  // namespace

struct WalkerWorld::Parts final : b2ContactListener {
  b2World world{b2Vec2(0, -10)};
  b2Body* hull = nullptr;
  std::array<b2Body*, 4> legs{};  // upper, lower, upper, lower
  std::array<b2RevoluteJoint*, kWalkerJoints> joints{};
  std::array<bool, 2> foot_down{};
  bool hull_touched = false;

  void BeginContact(b2Contact* contact) override {
    if (touches(*contact, hull)) hull_touched = true;
    note_feet(contact, true);
  }

  void EndContact(b2Contact* contact) override { note_feet(contact, false); }

  void note_feet(b2Contact* contact, bool down) {
    if (touches(*contact, legs[1])) foot_down[0] = down;
    if (touches(*contact, legs[3])) foot_down[1] = down;
  }

  const b2Body& body(int i) const;  // hull, then the legs
  void add_ground(const Terrain& terrain);
  void add_hull(double push);
  void add_leg(std::size_t side);
  b2Body* add_leg_part(double y, double angle, double half_width);
  b2RevoluteJoint* add_joint(b2Body* above, b2Body* below, double anchor_above, b2Vec2 limits,
                             float speed);
};

void WalkerWorld::Parts::add_ground(const Terrain& terrain) {
  const auto add = [&](const b2Shape& shape) {
    const b2BodyDef still;
    b2FixtureDef fixture;
    fixture.shape = &shape;
    fixture.friction = kGroundFriction;
    fixture.filter.categoryBits = kGroundCategory;
    world.CreateBody(&still)->CreateFixture(&fixture);
  };
  for (const Quad& block : terrain.blocks) {
    std::array<b2Vec2, 4> corners;
    for (std::size_t i = 0; i < 4; ++i) corners[i] = vec(block[i].x, block[i].y);
    b2PolygonShape shape;
    shape.Set(corners.data(), 4);
    add(shape);
  }
  for (std::size_t i = 0; i + 1 < terrain.line.size(); ++i) {
    const Point a = terrain.line[i], b = terrain.line[i + 1];
    b2EdgeShape shape;
    shape.Set(vec(a.x, a.y), vec(b.x, b.y));
    add(shape);
  }
}

constexpr double kStartX = kTerrainStep * kStartPad / 2;
constexpr double kStartY = kTerrainHeight + 2 * kLegHeight;

void WalkerWorld::Parts::add_hull(double push) {
  std::array<b2Vec2, 5> corners;
  constexpr double kOutline[5][2] = {{-30, 9}, {6, 9}, {34, 1}, {34, -8}, {-30, -8}};
  for (std::size_t i = 0; i < 5; ++i) {
    corners[i] = vec(kOutline[i][0] / kPixelsPerMetre, kOutline[i][1] / kPixelsPerMetre);
  }
  b2PolygonShape shape;
  shape.Set(corners.data(), 5);
  b2FixtureDef fixture = walker_part(shape, 5);
  fixture.friction = 0.1F;
  b2BodyDef body;
  body.type = b2_dynamicBody;
  body.position = vec(kStartX, kStartY);
  hull = world.CreateBody(&body);
  hull->CreateFixture(&fixture);
  hull->ApplyForceToCenter(vec(push, 0), true);
}

b2Body* WalkerWorld::Parts::add_leg_part(double y, double angle, double half_width) {
  b2PolygonShape shape;
  shape.SetAsBox(static_cast<float>(half_width), static_cast<float>(kLegHeight / 2));
  const b2FixtureDef fixture = walker_part(shape, 1);
  b2BodyDef body;
  body.type = b2_dynamicBody;
  body.position = vec(kStartX, y);
  body.angle = static_cast<float>(angle);
  b2Body* part = world.CreateBody(&body);
  part->CreateFixture(&fixture);
  return part;
}

b2RevoluteJoint* WalkerWorld::Parts::add_joint(b2Body* above, b2Body* below, double anchor_above,
                                               b2Vec2 limits, float speed) {
  b2RevoluteJointDef joint;
  joint.bodyA = above;
  joint.bodyB = below;
  joint.localAnchorA = vec(0, anchor_above);
  joint.localAnchorB = vec(0, kLegHeight / 2);
  joint.referenceAngle = below->GetAngle() - above->GetAngle();
  joint.enableMotor = true;
  joint.enableLimit = true;
  joint.maxMotorTorque = static_cast<float>(kMaxTorque);
  joint.motorSpeed = speed;
  joint.lowerAngle = limits.x;
  joint.upperAngle = limits.y;
  return static_cast<b2RevoluteJoint*>(world.CreateJoint(&joint));
}

void WalkerWorld::Parts::add_leg(std::size_t side) {
  const int sign = side == 0 ? -1 : 1;
  const double angle = 0.05 * sign;
  b2Body* upper = add_leg_part(kStartY - kLegHeight / 2 - kLegDown, angle, kLegWidth / 2);
  legs[2 * side] = upper;
  joints[2 * side] = add_joint(hull, upper, kLegDown, vec(-0.8, 1.1), static_cast<float>(sign));
  b2Body* lower = add_leg_part(kStartY - kLegHeight * 3 / 2 - kLegDown, angle, 0.8 * kLegWidth / 2);
  legs[2 * side + 1] = lower;
  joints[2 * side + 1] = add_joint(upper, lower, -kLegHeight / 2, vec(-1.6, -0.1), 1);
}

WalkerWorld::WalkerWorld(const Terrain& terrain, double push) : parts_(std::make_unique<Parts>()) {
  parts_->world.SetContactListener(parts_.get());
  parts_->add_ground(terrain);
  parts_->add_hull(push);
  parts_->add_leg(0);
  parts_->add_leg(1);
}

WalkerWorld::~WalkerWorld() = default;

void WalkerWorld::step(const Torques& torques) {
  for (std::size_t i = 0; i < torques.size(); ++i) {
    const double sign = torques[i] > 0 ? 1.0 : torques[i] < 0 ? -1.0 : 0.0;
    const double strength = std::clamp(std::fabs(torques[i]), 0.0, 1.0);
    parts_->joints[i]->SetMotorSpeed(static_cast<float>(kJointSpeed[i] * sign));
    parts_->joints[i]->SetMaxMotorTorque(static_cast<float>(kMaxTorque * strength));
  }
  parts_->world.Step(static_cast<float>(1 / kStepsPerSecond), 6 * 30, 2 * 30);
}

void WalkerWorld::pose(std::span<const float> obs) {
  b2Body& hull = *parts_->hull;
  hull.SetTransform(hull.GetPosition(), obs[0]);
  for (std::size_t i = 0; i < parts_->joints.size(); ++i) {
    const b2RevoluteJoint& joint = *parts_->joints[i];
    b2Body &above = *parts_->joints[i]->GetBodyA(), &below = *parts_->joints[i]->GetBodyB();
    const float seen = obs[kJointAngleAt[i]] - (i % 2 == 1 ? 1.0F : 0.0F);
    below.SetTransform(b2Vec2(0, 0), above.GetAngle() + joint.GetReferenceAngle() + seen);
    const b2Vec2 hung = below.GetWorldPoint(joint.GetLocalAnchorB());
    below.SetTransform(joint.GetAnchorA() - hung, below.GetAngle());
  }
}

std::vector<Point> WalkerWorld::ground_seen(std::span<const float> obs) const {
  const b2Vec2 eye = parts_->hull->GetPosition();
  std::vector<Point> points;
  for (int ray = 0; ray < kLidarRays; ++ray) {
    const int at = kWalkerObs - kLidarRays + ray;
    const double reach = obs[static_cast<std::size_t>(at)];
    const b2Vec2 end = ray_end(eye, ray, reach);
    if (reach < 1) points.push_back({end.x, end.y});
  }
  return points;
}

double WalkerWorld::hull_x() const {
  return parts_->hull->GetPosition().x;
}

double WalkerWorld::hull_angle() const {
  return parts_->hull->GetAngle();
}

bool WalkerWorld::hull_touched() const {
  return parts_->hull_touched;
}

std::array<float, kWalkerObs> WalkerWorld::observe() const {
  std::array<float, kWalkerObs> out{};
  std::size_t at = 0;
  const auto put = [&](double value) { out[at++] = static_cast<float>(value); };
  const b2Body& hull = *parts_->hull;
  put(hull.GetAngle());
  put(2.0 * hull.GetAngularVelocity() / kStepsPerSecond);
  put(0.3 * hull.GetLinearVelocity().x * kViewWidth / kStepsPerSecond);
  put(0.3 * hull.GetLinearVelocity().y * kViewHeight / kStepsPerSecond);
  for (std::size_t i = 0; i < parts_->joints.size(); ++i) {
    const bool knee = i % 2 == 1;
    put(parts_->joints[i]->GetJointAngle() + (knee ? 1.0 : 0.0));
    put(parts_->joints[i]->GetJointSpeed() / kJointSpeed[i]);
    if (knee) put(parts_->foot_down[i / 2] ? 1.0 : 0.0);
  }
  const b2Vec2 eye = hull.GetPosition();
  for (int ray = 0; ray < kLidarRays; ++ray) {
    Lidar lidar;
    parts_->world.RayCast(&lidar, eye, ray_end(eye, ray, 1));
    put(lidar.nearest());
  }
  return out;
}

const b2Body& WalkerWorld::Parts::body(int i) const {
  return i == 0 ? *hull : *legs[static_cast<std::size_t>(i - 1)];
}

std::array<BodyState, kWalkerBodies> WalkerWorld::bodies() const {
  std::array<BodyState, kWalkerBodies> out{};
  for (int i = 0; i < kWalkerBodies; ++i) {
    out[static_cast<std::size_t>(i)] = state_of(parts_->body(i));
  }
  return out;
}

std::vector<std::vector<Point>> WalkerWorld::outlines() const {
  std::vector<std::vector<Point>> out;
  out.reserve(kWalkerBodies);
  for (int i = 0; i < kWalkerBodies; ++i) out.push_back(outline_of(parts_->body(i)));
  return out;
}

std::uint64_t WalkerWorld::hash() const {
  struct {
    std::array<BodyState, kWalkerBodies> bodies;
    std::array<std::uint32_t, 4> flags;
  } seen{bodies(), {parts_->foot_down[0], parts_->foot_down[1], parts_->hull_touched, 0}};

  return xxh3(std::as_bytes(std::span(&seen, 1)));
}

}  // namespace tarl::envs::box2d
