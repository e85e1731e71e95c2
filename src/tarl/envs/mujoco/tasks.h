// SPDX-License-Identifier: MIT
#pragma once

#include <limits>
#include <span>
#include <string>
#include <vector>

#include "tarl/envs/mujoco/picture.h"

namespace tarl::envs::mujoco {

inline constexpr double kUnlimited = std::numeric_limits<double>::infinity();

// Where a piece of the observation comes from. All but the last are arrays of the simulator.
enum class Source {
  kQpos,      // joint positions
  kQvel,      // joint velocities
  kCosQpos,   // cosine of joint positions
  kSinQpos,   // sine of joint positions
  kInertia,   // body inertias about the centre of mass, 10 numbers a body
  kVelocity,  // body velocities about the centre of mass, 6 numbers a body
  kActuator,  // actuator forces, one a joint velocity
  kContact,   // external forces, 6 numbers a body
  kReach,     // finger tip minus target, 3 numbers
};

// A run of numbers of one source, each clipped to +-limit.
struct Piece {
  Source source;
  int from = 0;
  int count = -1;  // -1: to the end
  double limit = kUnlimited;
};

// What "distance travelled" means.
enum class Travel { kNone, kRootSlide, kTorso, kMassCentre };

using Healthy = bool (*)(std::span<const double> qpos, std::span<const double> qvel);

// One task of Gymnasium's MuJoCo family: everything in which the tasks differ.
struct Task {
  std::string name;                  // "mujoco/ant"
  std::vector<std::string> aliases;  // "Ant-v4"
  std::string model;                 // "ant"
  int actuators = 0;                 // of that model
  int frame_skip = 1;                // simulator steps a step
  int time_limit = 1000;             // steps

  // Reset: noise added to the model's initial state, uniform in +-noise; normal times the scale
  // for velocities where that is said. A goal in a disc replaces the last two positions.
  double position_noise = 0;
  double velocity_noise = 0;
  bool normal_velocity_noise = false;
  double goal_radius = 0;

  std::vector<Piece> obs{};

  // reward = travel_weight * speed + alive - control_cost |control|^2 - contact - reach
  Travel travel = Travel::kNone;
  double travel_weight = 1;
  double alive = 0;
  bool alive_when_ending = true;  // v4 pays the bonus on the terminating step too
  double control_cost = 0;
  double contact_cost = 0;  // per squared external force
  double contact_force_limit = kUnlimited;
  double contact_cost_limit = kUnlimited;
  double reach_cost = 0;          // per distance between finger tip and target
  bool reach_before_step = true;  // v4 measures it before the step

  Healthy healthy = nullptr;  // the episode terminates when this is false; nullptr: never

  View view{};
};

const std::vector<Task>& tasks();

// By alias, e.g. "Hopper-v4"; nullptr where there is none.
const Task* find_task(const std::string& alias);

}  // namespace tarl::envs::mujoco
