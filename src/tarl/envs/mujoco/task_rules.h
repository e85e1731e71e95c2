// SPDX-License-Identifier: MIT
#pragma once

#include "tarl/envs/mujoco/tasks.h"

// Rules of single tasks that are more than a number.
namespace tarl::envs::mujoco {

using States = std::span<const double>;

bool ant_healthy(States qpos, States qvel);
bool hopper_healthy(States qpos, States qvel);
bool humanoid_healthy(States qpos, States qvel);
bool walker_healthy(States qpos, States qvel);
bool pendulum_healthy(States qpos, States qvel);

// A goal in a disc about the shoulder: the last two positions.
void place_reacher_goal(std::span<double> qpos, Rng& rng);

// The object somewhere before the goal, but not on it: the last four positions are both.
void place_pusher_object(std::span<double> qpos, Rng& rng);

// Leaning and swinging of the tip of two poles, which are two metres together.
double double_pendulum_cost(double x, double height, States qvel);

}  // namespace tarl::envs::mujoco
