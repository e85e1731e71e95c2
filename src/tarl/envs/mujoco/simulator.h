// SPDX-License-Identifier: MIT
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "tarl/envs/mujoco/renderer.h"
#include "tarl/envs/mujoco/tasks.h"
#include "tarl/envs/registry.h"

struct mjModel_;
struct mjData_;

namespace tarl::envs::mujoco {

// The linked library's version, e.g. "3.3.7".
std::string library_version();

// A task's physics in double precision, as Gymnasium computes it: no time limit, no noise, no
// rounding. Environments wrap it; tests compare it with recorded traces.
class Simulator {
 public:
  explicit Simulator(const Task& task);
  ~Simulator();
  Simulator(Simulator&&) noexcept;

  int obs_size() const;
  int control_size() const;
  double step_seconds() const;  // simulated time of one advance()
  double control_low(int i) const;
  double control_high(int i) const;
  std::span<const double> initial_qpos() const;  // of the model, without noise
  std::span<const double> qpos() const;
  std::span<const double> qvel() const;
  std::span<const double> qacc_warmstart() const;

  // Starts from a state of joint positions and velocities.
  void start(std::span<const double> qpos, std::span<const double> qvel);

  struct Outcome {
    double reward = 0;
    bool terminated = false;
  };

  // One step of the task under a control within the environment's own bounds.
  Outcome advance(std::span<const double> control);

  // Requires out.size() == obs_size().
  void observe(std::span<double> out) const;

  // Everything the following steps depend on. advance() fills in derived quantities.
  std::vector<double> state() const;
  void set_state(std::span<const double> state);

  // Nothing, with the reason in `why`, if that renderer is not available.
  std::optional<rl::Image> draw(RendererKind renderer, std::string& why) const;

  // Our own drawing of the bodies in an observation, with the root at its start if the observation
  // omits it. Nothing, with the reason in `why`, if other joints are missing.
  std::optional<rl::Image> draw_observed(std::span<const float> obs, std::string& why) const;

 private:
  double travelled() const;
  std::span<const double> contact_forces() const;
  double contact_cost() const;
  double gap_cost() const;
  double tip_cost() const;
  double tip_height() const;
  int body(const char* name) const;
  void gap(const Gap& between, double (&out)[3]) const;
  std::span<const double> source(const ObsPart& part) const;
  int part_size(const ObsPart& part) const;
  void note_before();

  struct Free {
    void operator()(mjModel_* model) const;
    void operator()(mjData_* data) const;
  };

  const Task* task_;
  std::unique_ptr<mjModel_, Free> model_;
  std::unique_ptr<mjData_, Free> data_;
  mutable std::unique_ptr<Renderer> renderer_;  // made for the first picture
  mutable std::string no_renderer_;             // why there is none
  int torso_ = 0;
  // Read from derived quantities before a step; kept, since they belong to the integrator's last
  // evaluation and cannot be recomputed from positions and velocities.
  double travelled_before_ = 0;
  double gap_cost_before_ = 0;
};

}  // namespace tarl::envs::mujoco
