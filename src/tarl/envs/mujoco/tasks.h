// SPDX-License-Identifier: MIT
#pragma once

#include <limits>
#include <span>
#include <string>
#include <vector>

#include "tarl/core/rng.h"
#include "tarl/envs/mujoco/picture.h"

namespace tarl::envs::mujoco {

inline constexpr double kUnlimited = std::numeric_limits<double>::infinity();

// The source of a part of the observation. All but the last two are arrays of the simulator.
enum class Source {
  kQpos,        // joint positions
  kQvel,        // joint velocities
  kCosQpos,     // cosine of joint positions
  kSinQpos,     // sine of joint positions
  kInertia,     // body inertias about the centre of mass, 10 numbers per body
  kVelocity,    // body velocities about the centre of mass, 6 numbers per body
  kActuator,    // actuator forces, one per joint velocity
  kConstraint,  // forces of contacts and limits, one per joint velocity
  kContact,     // external forces, 6 numbers per body
  kGap,         // from one body of the first gap to the other, 3 numbers
  kBody,        // position of a body, 3 numbers
};

// A run of numbers of one source, each clipped to +-limit.
struct ObsPart {
  Source source;
  int from = 0;
  int count = -1;  // -1: to the end
  double limit = kUnlimited;
  const char* body = nullptr;  // of kBody
};

// Two bodies whose distance is penalised.
struct Gap {
  const char* from;
  const char* to;
  double cost;  // per metre
};

// What "distance travelled" means.
enum class Travel { kNone, kRootSlide, kTorso, kMassCentre };

using Healthy = bool (*)(std::span<const double> qpos, std::span<const double> qvel);

// Random placement at a reset besides the noise: changes joint positions.
using Place = void (*)(std::span<double> qpos, Rng& rng);

// The penalty on the position of a tip to be balanced and on the joints' velocities.
using TipCost = double (*)(double x, double height, std::span<const double> qvel);

// One task of Gymnasium's MuJoCo family: everything in which the tasks differ.
struct Task {
  std::string name;       // "mujoco/ant"
  std::string model;      // "ant"
  int actuators = 0;      // of that model
  int frame_skip = 1;     // simulator steps per step
  int time_limit = 1000;  // steps

  // Reset: noise added to the model's initial state, uniform in +-noise; for velocities normal
  // times the scale, if one is given.
  double position_noise = 0;
  double velocity_noise = 0;
  bool normal_velocity_noise = false;
  Place place = nullptr;
  int still_joints = 0;  // the last ones, which start without velocity

  std::vector<ObsPart> obs{};

  // reward = travel_weight * speed + rise_weight * height of the root / simulator's time step
  //          + alive - control_cost |control|^2 - contact - gaps - tip
  Travel travel = Travel::kNone;
  double travel_weight = 1;
  double rise_weight = 0;
  double alive = 0;
  bool alive_when_ending = true;  // v4 pays the bonus on the terminating step too
  double control_cost = 0;
  double contact_cost = 0;  // per squared external force
  double contact_force_limit = kUnlimited;
  double contact_cost_limit = kUnlimited;
  std::vector<Gap> gaps{};
  bool gaps_before_step = true;  // v4 measures them before the step
  TipCost tip_cost = nullptr;    // of the model's first site

  // The episode terminates when this is false, or the tip is this low; nullptr: never.
  Healthy healthy = nullptr;
  double lowest_tip = -kUnlimited;

  View view{};
};

const std::vector<Task>& tasks();

// By alias, e.g. "Hopper-v4"; nullptr if there is none.
const Task* find_task(const std::string& alias);

}  // namespace tarl::envs::mujoco
