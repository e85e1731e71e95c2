// SPDX-License-Identifier: MIT
#include "tarl/envs/mujoco/tasks.h"

#include <algorithm>

#include "tarl/envs/gymnasium_names.h"
#include "tarl/envs/mujoco/task_rules.h"

namespace tarl::envs::mujoco {

namespace {

Task ant() {
  Task task{.name = "mujoco/ant", .model = "ant", .actuators = 8, .frame_skip = 5};
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
  Task task{
      .name = "mujoco/half_cheetah", .model = "half_cheetah", .actuators = 6, .frame_skip = 5};
  task.position_noise = task.velocity_noise = 0.1;
  task.normal_velocity_noise = true;
  task.obs = {{Source::kQpos, 1}, {Source::kQvel}};
  task.travel = Travel::kRootSlide;
  task.control_cost = 0.1;
  return task;
}

Task hopper() {
  Task task{.name = "mujoco/hopper", .model = "hopper", .actuators = 3, .frame_skip = 4};
  task.position_noise = task.velocity_noise = 0.005;
  task.obs = {{Source::kQpos, 1}, {Source::kQvel, 0, -1, 10}};
  task.travel = Travel::kRootSlide;
  task.alive = 1;
  task.control_cost = 1e-3;
  task.healthy = hopper_healthy;
  return task;
}

Task humanoid() {
  Task task{.name = "mujoco/humanoid", .model = "humanoid", .actuators = 17, .frame_skip = 5};
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

Task humanoid_standup() {
  Task task = humanoid();
  task.name = "mujoco/humanoid_standup";
  task.model = "humanoidstandup";
  task.travel = Travel::kNone;
  task.rise_weight = 1;
  task.alive = 1;
  task.contact_cost = 5e-7;
  task.contact_cost_limit = 10;
  task.healthy = nullptr;
  return task;
}

Task inverted_double_pendulum() {
  Task task{.name = "mujoco/inverted_double_pendulum",
            .model = "inverted_double_pendulum",
            .actuators = 1,
            .frame_skip = 5};
  task.position_noise = task.velocity_noise = 0.1;
  task.normal_velocity_noise = true;
  task.obs = {{Source::kQpos, 0, 1},
              {Source::kSinQpos, 1},
              {Source::kCosQpos, 1},
              {Source::kQvel, 0, -1, 10},
              {Source::kConstraint, 0, -1, 10}};
  task.alive = 10;
  task.tip_cost = double_pendulum_cost;
  task.lowest_tip = 1;
  task.view = {.width = 3.6, .follows = false};
  return task;
}

Task inverted_pendulum() {
  Task task{.name = "mujoco/inverted_pendulum",
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
            .model = "reacher",
            .actuators = 2,
            .frame_skip = 2,
            .time_limit = 50};
  task.position_noise = 0.1;
  task.velocity_noise = 0.005;
  task.place = place_reacher_goal;
  task.still_joints = 2;
  task.obs = {{Source::kCosQpos, 0, 2},
              {Source::kSinQpos, 0, 2},
              {Source::kQpos, 2},
              {Source::kQvel, 0, 2},
              {Source::kGap}};
  task.control_cost = 1;
  task.gaps = {{"fingertip", "target", 1}};
  task.view = {.from_above = true, .width = 0.7, .follows = false};
  return task;
}

Task swimmer() {
  Task task{.name = "mujoco/swimmer", .model = "swimmer", .actuators = 2, .frame_skip = 4};
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
  task.model = "walker2d";
  task.actuators = 6;
  task.healthy = walker_healthy;
  return task;
}

// Version 5 pays the survival bonus only while healthy.
Task fifth_version(Task task) {
  task.name += "_v5";
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

// The world body and the unactuated root are left out: they are constant.
std::vector<ObsPart> humanoid_v5_obs() {
  return {{Source::kQpos, 2},     {Source::kQvel},        {Source::kInertia, 10},
          {Source::kVelocity, 6}, {Source::kActuator, 6}, {Source::kContact, 6}};
}

Task humanoid_v5() {
  Task task = fifth_version(humanoid());
  task.obs = humanoid_v5_obs();
  task.contact_cost = 5e-7;
  task.contact_cost_limit = 10;
  return task;
}

Task humanoid_standup_v5() {
  Task task = fifth_version(humanoid_standup());
  task.obs = humanoid_v5_obs();
  return task;
}

Task inverted_double_pendulum_v5() {
  Task task = fifth_version(inverted_double_pendulum());
  task.obs.back().count = 1;
  return task;
}

// Version 4 works only with MuJoCo 2: its object is too light for the contacts of later versions.
Task pusher_v5() {
  Task task{.name = "mujoco/pusher_v5",
            .model = "pusher_v5",
            .actuators = 7,
            .frame_skip = 5,
            .time_limit = 100};
  task.velocity_noise = 0.005;
  task.place = place_pusher_object;
  task.still_joints = 4;
  task.obs = {{Source::kQpos, 0, 7},
              {Source::kQvel, 0, 7},
              {.source = Source::kBody, .body = "tips_arm"},
              {.source = Source::kBody, .body = "object"},
              {.source = Source::kBody, .body = "goal"}};
  task.control_cost = 0.1;
  task.gaps = {{"object", "goal", 1}, {"object", "tips_arm", 0.5}};
  task.gaps_before_step = false;
  task.view = {.from_above = true, .width = 2.4, .follows = false};
  return task;
}

Task reacher_v5() {
  Task task = fifth_version(reacher());
  task.obs.back().count = 2;
  task.gaps_before_step = false;
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
                                        humanoid_standup(),
                                        inverted_double_pendulum(),
                                        inverted_pendulum(),
                                        reacher(),
                                        swimmer(),
                                        walker2d(),
                                        ant_v5(),
                                        fifth_version(hopper()),
                                        humanoid_v5(),
                                        humanoid_standup_v5(),
                                        inverted_double_pendulum_v5(),
                                        fifth_version(inverted_pendulum()),
                                        pusher_v5(),
                                        reacher_v5(),
                                        walker2d_v5()};
  return all;
}

const Task* find_task(const std::string& alias) {
  for (const Task& task : tasks()) {
    const std::vector<std::string> aliases = gymnasium_aliases(task.name);
    if (std::count(aliases.begin(), aliases.end(), alias) > 0) return &task;
  }
  return nullptr;
}

}  // namespace tarl::envs::mujoco
