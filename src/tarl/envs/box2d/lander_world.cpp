// SPDX-License-Identifier: MIT
#include "tarl/envs/box2d/lander_world.h"

#include <cmath>

#include <Box2D/Box2D.h>

#include "tarl/core/files.h"

namespace tarl::envs::box2d {

namespace {

constexpr double kMainPower = 13;
constexpr double kSidePower = 0.6;
constexpr double kMainJetDown = 4 / kPixelsPerMetre;
constexpr double kSideJetAway = 12 / kPixelsPerMetre;
constexpr double kSideJetUp = 14;     // pixels
constexpr double kSideJetShift = 17;  // pixels sideways when leaning; the original's slip
constexpr double kLegAway = 20 / kPixelsPerMetre;
constexpr double kLegDrop = 18 / kPixelsPerMetre;
constexpr float kLegTorque = 40;
constexpr uint16 kMoonCategory = 0x0001;
constexpr uint16 kRocketCategory = 0x0010;
constexpr uint16 kLanderLegCategory = 0x0020;

b2FixtureDef lander_part(const b2Shape& shape, float density, uint16 category) {
  b2FixtureDef fixture;
  fixture.shape = &shape;
  fixture.density = density;
  fixture.filter.categoryBits = category;
  fixture.filter.maskBits = kMoonCategory;
  return fixture;
}

}  // namespace

struct LanderWorld::Parts final : b2ContactListener {
  b2World world{b2Vec2(0, -10)};
  b2Body* rocket = nullptr;
  std::array<b2Body*, 2> legs{};
  std::array<bool, 2> leg_down{};
  bool crashed = false;

  void BeginContact(b2Contact* contact) override {
    if (touches(*contact, rocket)) crashed = true;
    note_legs(*contact, true);
  }

  void EndContact(b2Contact* contact) override { note_legs(*contact, false); }

  void note_legs(b2Contact& contact, bool down) {
    for (std::size_t i = 0; i < legs.size(); ++i) {
      if (touches(contact, legs[i])) leg_down[i] = down;
    }
  }

  const b2Body& body(std::size_t i) const { return i == 0 ? *rocket : *legs[i - 1]; }

  void add_ground(const std::array<double, kMoonPoints>& ground);
  void add_rocket(double force_x, double force_y);
  void add_leg(std::size_t side);
  void fire_main(const Thrust& thrust);
  void fire_side(const Thrust& thrust);
  void push(b2Vec2 jet_at, double x, double y);
};

void LanderWorld::Parts::add_ground(const std::array<double, kMoonPoints>& ground) {
  const b2BodyDef still;
  b2Body* moon = world.CreateBody(&still);
  b2EdgeShape edge;
  edge.Set(vec(0, 0), vec(kViewWidth, 0));
  moon->CreateFixture(&edge, 0);
  for (int i = 0; i + 1 < kMoonPoints; ++i) {
    const auto at = static_cast<std::size_t>(i);
    edge.Set(vec(moon_x(i), ground[at]), vec(moon_x(i + 1), ground[at + 1]));
    b2FixtureDef fixture;
    fixture.shape = &edge;
    fixture.friction = 0.1F;
    moon->CreateFixture(&fixture);
  }
}

void LanderWorld::Parts::add_rocket(double force_x, double force_y) {
  constexpr double kOutline[6][2] = {{-14, 17}, {-17, 0}, {-17, -10}, {17, -10}, {17, 0}, {14, 17}};
  std::array<b2Vec2, 6> corners;
  for (std::size_t i = 0; i < corners.size(); ++i) {
    corners[i] = vec(kOutline[i][0] / kPixelsPerMetre, kOutline[i][1] / kPixelsPerMetre);
  }
  b2PolygonShape shape;
  shape.Set(corners.data(), 6);
  b2FixtureDef fixture = lander_part(shape, 5, kRocketCategory);
  fixture.friction = 0.1F;
  b2BodyDef body;
  body.type = b2_dynamicBody;
  body.position = vec(kViewWidth / 2, kViewHeight);
  rocket = world.CreateBody(&body);
  rocket->CreateFixture(&fixture);
  rocket->ApplyForceToCenter(vec(force_x, force_y), true);
}

void LanderWorld::Parts::add_leg(std::size_t side) {
  const int sign = side == 0 ? -1 : 1;
  b2PolygonShape shape;
  shape.SetAsBox(static_cast<float>(2 / kPixelsPerMetre), static_cast<float>(8 / kPixelsPerMetre));
  const b2FixtureDef fixture = lander_part(shape, 1, kLanderLegCategory);
  b2BodyDef body;
  body.type = b2_dynamicBody;
  body.position = vec(kViewWidth / 2 - sign * kLegAway, kViewHeight);
  body.angle = static_cast<float>(sign * 0.05);
  b2Body* leg = world.CreateBody(&body);
  leg->CreateFixture(&fixture);
  b2RevoluteJointDef joint;
  joint.bodyA = rocket;
  joint.bodyB = leg;
  joint.localAnchorB = vec(sign * kLegAway, kLegDrop);
  joint.referenceAngle = leg->GetAngle() - rocket->GetAngle();
  joint.enableMotor = true;
  joint.enableLimit = true;
  joint.maxMotorTorque = kLegTorque;
  joint.motorSpeed = static_cast<float>(0.3 * sign);
  joint.lowerAngle = static_cast<float>(sign < 0 ? 0.9 - 0.5 : -0.9);
  joint.upperAngle = static_cast<float>(sign < 0 ? 0.9 : -0.9 + 0.5);
  world.CreateJoint(&joint);
  legs[side] = leg;
}

LanderWorld::LanderWorld(const std::array<double, kMoonPoints>& ground, double force_x,
                         double force_y)
    : parts_(std::make_unique<Parts>()) {
  parts_->world.SetContactListener(parts_.get());
  parts_->add_ground(ground);
  parts_->add_rocket(force_x, force_y);
  parts_->add_leg(0);
  parts_->add_leg(1);
}

LanderWorld::~LanderWorld() = default;

void LanderWorld::Parts::push(b2Vec2 jet_at, double x, double y) {
  rocket->ApplyLinearImpulse(vec(x, y), jet_at, true);
}

void LanderWorld::Parts::fire_main(const Thrust& thrust) {
  const double sine = std::sin(double{rocket->GetAngle()});
  const double cosine = std::cos(double{rocket->GetAngle()});
  const double down = kMainJetDown + 2 * thrust.scatter[0];
  const double x = sine * down - cosine * thrust.scatter[1];
  const double y = -cosine * down - sine * thrust.scatter[1];
  const b2Vec2 at = rocket->GetPosition();
  push(vec(at.x + x, at.y + y), -x * kMainPower * thrust.main, -y * kMainPower * thrust.main);
}

void LanderWorld::Parts::fire_side(const Thrust& thrust) {
  const double sine = std::sin(double{rocket->GetAngle()});
  const double cosine = std::cos(double{rocket->GetAngle()});
  const double away = 3 * thrust.scatter[1] + thrust.side_direction * kSideJetAway;
  const double x = sine * thrust.scatter[0] - cosine * away;
  const double y = -cosine * thrust.scatter[0] - sine * away;
  const b2Vec2 at = rocket->GetPosition();
  push(vec(at.x + x - sine * kSideJetShift / kPixelsPerMetre,
           at.y + y + cosine * kSideJetUp / kPixelsPerMetre),
       -x * kSidePower * thrust.side, -y * kSidePower * thrust.side);
}

void LanderWorld::step(const Thrust& thrust) {
  if (thrust.main > 0) parts_->fire_main(thrust);
  if (thrust.side > 0) parts_->fire_side(thrust);
  parts_->world.Step(static_cast<float>(1 / kStepsPerSecond), 6 * 30, 2 * 30);
}

std::array<double, kLanderObs> LanderWorld::observe() const {
  const b2Body& rocket = *parts_->rocket;
  const b2Vec2 at = rocket.GetPosition(), velocity = rocket.GetLinearVelocity();
  return {(at.x - kViewWidth / 2) / (kViewWidth / 2),
          (at.y - (kPadHeight + kLegDrop)) / (kViewHeight / 2),
          velocity.x * (kViewWidth / 2) / kStepsPerSecond,
          velocity.y * (kViewHeight / 2) / kStepsPerSecond,
          rocket.GetAngle(),
          20.0 * rocket.GetAngularVelocity() / kStepsPerSecond,
          parts_->leg_down[0] ? 1.0 : 0.0,
          parts_->leg_down[1] ? 1.0 : 0.0};
}

bool LanderWorld::crashed() const {
  return parts_->crashed;
}

bool LanderWorld::asleep() const {
  return !parts_->rocket->IsAwake();
}

std::array<BodyState, kLanderBodies> LanderWorld::bodies() const {
  std::array<BodyState, kLanderBodies> out{};
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = state_of(parts_->body(i));
  return out;
}

std::vector<std::vector<Point>> LanderWorld::outlines() const {
  std::vector<std::vector<Point>> out;
  for (std::size_t i = 0; i < kLanderBodies; ++i) out.push_back(outline_of(parts_->body(i)));
  return out;
}

std::uint64_t LanderWorld::hash() const {
  struct {
    std::array<BodyState, kLanderBodies> bodies;
    std::array<std::uint32_t, 4> flags;
  } seen{bodies(), {parts_->leg_down[0], parts_->leg_down[1], parts_->crashed, asleep()}};

  return xxh3(std::as_bytes(std::span(&seen, 1)));
}

}  // namespace tarl::envs::box2d
