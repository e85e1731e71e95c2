// SPDX-License-Identifier: MIT
#include "tarl/envs/mujoco/mujoco_env.h"

#include <algorithm>
#include <cstring>

#include "tarl/core/error.h"
#include "tarl/envs/gymnasium_names.h"
#include "tarl/envs/registry.h"

namespace tarl::envs::mujoco {

namespace {

std::string title(int obs_size, int control_size) {
  return std::to_string(obs_size) + " numbers, " + std::to_string(control_size) + " torques";
}

}  // namespace

MujocoEnv::MujocoEnv(const Task& task, Rng rng, RendererKind renderer)
    : task_(&task), rng_(rng), renderer_(renderer), simulator_(task) {
  spec_.name = task.name;
  spec_.title = title(simulator_.obs_size(), simulator_.control_size());
  spec_.obs = {.kind = rl::ObsKind::kFloats, .width = simulator_.obs_size()};
  spec_.step_seconds = simulator_.step_seconds();
  spec_.action.size = simulator_.control_size();
  require(spec_.action.size <= rl::kMaxActionSize, "more actuators than an action holds");
  for (int i = 0; i < spec_.action.size; ++i) {
    spec_.action.low[i] = static_cast<float>(simulator_.control_low(i));
    spec_.action.high[i] = static_cast<float>(simulator_.control_high(i));
  }
  control_.resize(static_cast<std::size_t>(spec_.action.size));
  obs_.resize(static_cast<std::size_t>(simulator_.obs_size()));
}

double MujocoEnv::noise(double scale) {
  return scale * (2.0 * rng_.uniform() - 1.0);
}

void MujocoEnv::reset(std::span<std::byte> obs) {
  const auto initial = simulator_.initial_qpos();
  std::vector<double> qpos(initial.begin(), initial.end());
  std::vector<double> qvel(simulator_.qvel().size());
  for (double& value : qpos) value += noise(task_->position_noise);
  if (task_->place != nullptr) task_->place(qpos, rng_);
  for (double& value : qvel) {
    value = task_->normal_velocity_noise ? task_->velocity_noise * rng_.normal()
                                         : noise(task_->velocity_noise);
  }
  std::fill(qvel.end() - task_->still_joints, qvel.end(), 0.0);
  simulator_.start(qpos, qvel);
  steps_ = 0;
  write_obs(obs);
}

rl::StepResult MujocoEnv::step(const rl::Action& action, std::span<std::byte> obs) {
  for (std::size_t i = 0; i < control_.size(); ++i) {
    const double low = simulator_.control_low(static_cast<int>(i));
    const double high = simulator_.control_high(static_cast<int>(i));
    control_[i] = 0.5 * (high + low) + 0.5 * (high - low) * double{action.values[i]};
  }
  const Simulator::Outcome outcome = simulator_.advance(control_);
  ++steps_;
  rl::StepResult result;
  result.reward = result.score = static_cast<float>(outcome.reward);
  result.terminated = outcome.terminated;
  result.truncated = !outcome.terminated && steps_ >= task_->time_limit;
  result.score_episode_over = result.done();
  write_obs(obs);
  return result;
}

void MujocoEnv::write_obs(std::span<std::byte> out) {
  require(out.size() == spec_.obs.bytes(), "observation buffer of another size");
  simulator_.observe(obs_);
  for (std::size_t i = 0; i < obs_.size(); ++i) {
    const float value = static_cast<float>(obs_[i]);
    std::memcpy(out.data() + i * sizeof value, &value, sizeof value);
  }
}

void MujocoEnv::save(StateWriter& out) const {
  out.put("rng", rng_);
  out.put("steps", steps_);
  out.put("version", library_version());
  out.put("state", simulator_.state());
}

void MujocoEnv::load(const StateReader& in) {
  std::string version;
  in.get("version", version);
  if (version != library_version()) {
    throw Error(task_->name + ": the checkpoint was made with MuJoCo " + version +
                ", this build has " + library_version() +
                "; build with the same version to resume");
  }
  in.get("rng", rng_);
  in.get("steps", steps_);
  simulator_.set_state(in.get_vector<double>("state"));
}

std::optional<rl::Image> MujocoEnv::render(std::string& why) const {
  return simulator_.draw(renderer_, why);
}

std::optional<rl::Image> MujocoEnv::picture_of(std::span<const std::byte> obs,
                                               std::string& why) const {
  require(obs.size() == spec_.obs.bytes(), "observation of another size");
  std::vector<float> seen(obs_.size());
  std::memcpy(seen.data(), obs.data(), obs.size());
  return simulator_.draw_observed(seen, why);
}

}  // namespace tarl::envs::mujoco

namespace tarl::envs {

void add_mujoco(Registry& registry) {
  registry.note_library("MuJoCo", mujoco::library_version());
  for (const mujoco::Task& task : mujoco::tasks()) {
    registry.add({.name = task.name,
                  .aliases = gymnasium_aliases(task.name),
                  .title = task.model + " of Gymnasium, on MuJoCo",
                  .make =
                      [&task](const EnvConfig& config, Rng rng) {
                        return std::make_unique<mujoco::MujocoEnv>(task, rng, config.renderer);
                      },
                  .action_size = task.actuators});
  }
}

}  // namespace tarl::envs
