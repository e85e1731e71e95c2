// SPDX-License-Identifier: MIT
#include "tarl/envs/mujoco/task_rules.h"

#include <algorithm>
#include <cmath>

namespace tarl::envs::mujoco {

namespace {

bool all_finite(States values) {
  return std::all_of(values.begin(), values.end(), [](double x) { return std::isfinite(x); });
}

double noise(Rng& rng, double scale) {
  return scale * (2.0 * rng.uniform() - 1.0);
}

}  // namespace

bool ant_healthy(States qpos, States qvel) {
  return all_finite(qpos) && all_finite(qvel) && qpos[2] >= 0.2 && qpos[2] <= 1.0;
}

bool hopper_healthy(States qpos, States qvel) {
  const auto sane = [](double x) { return std::fabs(x) < 100.0; };
  return std::all_of(qpos.begin() + 2, qpos.end(), sane) &&
         std::all_of(qvel.begin(), qvel.end(), sane) && qpos[1] > 0.7 && qpos[1] < kUnlimited &&
         std::fabs(qpos[2]) < 0.2;
}

bool humanoid_healthy(States qpos, States) {
  return qpos[2] > 1.0 && qpos[2] < 2.0;
}

bool walker_healthy(States qpos, States) {
  return qpos[1] > 0.8 && qpos[1] < 2.0 && std::fabs(qpos[2]) < 1.0;
}

bool pendulum_healthy(States qpos, States qvel) {
  return all_finite(qpos) && all_finite(qvel) && std::fabs(qpos[1]) <= 0.2;
}

void place_reacher_goal(std::span<double> qpos, Rng& rng) {
  constexpr double kRadius = 0.2;
  const auto goal = qpos.last(2);
  do {
    goal[0] = noise(rng, kRadius);
    goal[1] = noise(rng, kRadius);
  } while (std::hypot(goal[0], goal[1]) >= kRadius);
}

void place_pusher_object(std::span<double> qpos, Rng& rng) {
  const auto object = qpos.last(4), goal = qpos.last(2);
  do {
    object[0] = -0.3 * (1.0 - rng.uniform());
    object[1] = noise(rng, 0.2);
  } while (std::hypot(object[0], object[1]) <= 0.17);
  goal[0] = goal[1] = 0;
}

double double_pendulum_cost(double x, double height, States qvel) {
  const double missing = height - 2;
  return 0.01 * x * x + missing * missing + 1e-3 * qvel[1] * qvel[1] + 5e-3 * qvel[2] * qvel[2];
}

}  // namespace tarl::envs::mujoco
