// SPDX-License-Identifier: MIT
#include "tarl/envs/mujoco/tasks.h"

#include <algorithm>
#include <cmath>

namespace tarl::envs::mujoco {

namespace {

using States = std::span<const double>;

bool all_finite(States values) {
  return std::all_of(values.begin(), values.end(), [](double x) { return std::isfinite(x); });
}

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

Task ant() {
  Task task{
      .name = "mujoco/ant", .aliases = {"Ant-v4"}, .model = "ant", .actuators = 8, .frame_skip = 5};
  task.position_noise = task.velocity_noise = 0.1;
  task.normal_velocity_noise = true;
  task.obs = {{Source::kQpos, 2}, {Source::kQvel}};
  task.travel = Travel::kTorso;
  task.alive = 1;
  task.control_cost = 0.5;
  task.healthy = ant_healthy;
  return task;
}

Task half_cheetah() {
  Task task{.name = "mujoco/half_cheetah",
            .aliases = {"HalfCheetah-v4", "HalfCheetah-v5"},
            .model = "half_cheetah",
            .actuators = 6,
            .frame_skip = 5};
  task.position_noise = task.velocity_noise = 0.1;
  task.normal_velocity_noise = true;
  task.obs = {{Source::kQpos, 1}, {Source::kQvel}};
  task.travel = Travel::kRootSlide;
  task.control_cost = 0.1;
  return task;
}

Task hopper() {
  Task task{.name = "mujoco/hopper",
            .aliases = {"Hopper-v4"},
            .model = "hopper",
            .actuators = 3,
            .frame_skip = 4};
  task.position_noise = task.velocity_noise = 0.005;
  task.obs = {{Source::kQpos, 1}, {Source::kQvel, 0, -1, 10}};
  task.travel = Travel::kRootSlide;
  task.alive = 1;
  task.control_cost = 1e-3;
  task.healthy = hopper_healthy;
  return task;
}

Task humanoid() {
  Task task{.name = "mujoco/humanoid",
            .aliases = {"Humanoid-v4"},
            .model = "humanoid",
            .actuators = 17,
            .frame_skip = 5};
  task.position_noise = task.velocity_noise = 0.01;
  task.obs = {{Source::kQpos, 2},  {Source::kQvel},     {Source::kInertia},
              {Source::kVelocity}, {Source::kActuator}, {Source::kContact}};
  task.travel = Travel::kMassCentre;
  task.travel_weight = 1.25;
  task.alive = 5;
  task.control_cost = 0.1;
  task.healthy = humanoid_healthy;
  return task;
}

Task inverted_pendulum() {
  Task task{.name = "mujoco/inverted_pendulum",
            .aliases = {"InvertedPendulum-v4"},
            .model = "inverted_pendulum",
            .actuators = 1,
            .frame_skip = 2};
  task.position_noise = task.velocity_noise = 0.01;
  task.obs = {{Source::kQpos}, {Source::kQvel}};
  task.alive = 1;
  task.healthy = pendulum_healthy;
  task.view = {.width = 2.4, .follows = false};
  return task;
}

Task reacher() {
  Task task{.name = "mujoco/reacher",
            .aliases = {"Reacher-v4"},
            .model = "reacher",
            .actuators = 2,
            .frame_skip = 2,
            .time_limit = 50};
  task.position_noise = 0.1;
  task.velocity_noise = 0.005;
  task.goal_radius = 0.2;
  task.obs = {{Source::kCosQpos, 0, 2},
              {Source::kSinQpos, 0, 2},
              {Source::kQpos, 2},
              {Source::kQvel, 0, 2},
              {Source::kReach}};
  task.control_cost = 1;
  task.reach_cost = 1;
  task.view = {.from_above = true, .width = 0.7, .follows = false};
  return task;
}

Task swimmer() {
  Task task{.name = "mujoco/swimmer",
            .aliases = {"Swimmer-v4", "Swimmer-v5"},
            .model = "swimmer",
            .actuators = 2,
            .frame_skip = 4};
  task.position_noise = task.velocity_noise = 0.1;
  task.obs = {{Source::kQpos, 2}, {Source::kQvel}};
  task.travel = Travel::kRootSlide;
  task.control_cost = 1e-4;
  task.view = {.from_above = true, .width = 6};
  return task;
}

Task walker2d() {
  Task task = hopper();
  task.name = "mujoco/walker2d";
  task.aliases = {"Walker2d-v4"};
  task.model = "walker2d";
  task.actuators = 6;
  task.healthy = walker_healthy;
  return task;
}

// Version 5 pays the survival bonus only while healthy.
Task fifth_version(Task task) {
  task.name += "_v5";
  task.aliases[0].back() = '5';
  task.alive_when_ending = false;
  return task;
}

Task ant_v5() {
  Task task = fifth_version(ant());
  task.obs.push_back({Source::kContact, 6, -1, 1});
  task.contact_cost = 5e-4;
  task.contact_force_limit = 1;
  return task;
}

Task humanoid_v5() {
  Task task = fifth_version(humanoid());
  // The world body and the unactuated root are left out: they are constant.
  task.obs = {{Source::kQpos, 2},     {Source::kQvel},        {Source::kInertia, 10},
              {Source::kVelocity, 6}, {Source::kActuator, 6}, {Source::kContact, 6}};
  task.contact_cost = 5e-7;
  task.contact_cost_limit = 10;
  return task;
}

Task reacher_v5() {
  Task task = fifth_version(reacher());
  task.obs.back().count = 2;
  task.reach_before_step = false;
  return task;
}

Task walker2d_v5() {
  Task task = fifth_version(walker2d());
  task.model = "walker2d_v5";
  return task;
}

}  // namespace

const std::vector<Task>& tasks() {
  static const std::vector<Task> all = {ant(),
                                        half_cheetah(),
                                        hopper(),
                                        humanoid(),
                                        inverted_pendulum(),
                                        reacher(),
                                        swimmer(),
                                        walker2d(),
                                        ant_v5(),
                                        fifth_version(hopper()),
                                        humanoid_v5(),
                                        fifth_version(inverted_pendulum()),
                                        reacher_v5(),
                                        walker2d_v5()};
  return all;
}

const Task* find_task(const std::string& alias) {
  for (const Task& task : tasks()) {
    if (std::count(task.aliases.begin(), task.aliases.end(), alias) > 0) return &task;
  }
  return nullptr;
}

}  // namespace tarl::envs::mujoco
