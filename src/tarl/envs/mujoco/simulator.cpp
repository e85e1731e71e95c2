// SPDX-License-Identifier: MIT
#include "tarl/envs/mujoco/simulator.h"

#include <algorithm>
#include <cmath>

#include <mujoco/mujoco.h>

#include "tarl/core/error.h"
#include "tarl/envs/mujoco/arrays.h"
#include "tarl/envs/mujoco/models.h"

namespace tarl::envs::mujoco {

namespace {

std::span<const double> array(const mjtNum* values, int count) {
  return {values, static_cast<std::size_t>(count)};
}

mjModel* compile(const std::string& name) {
  // An unstable state is reported by the run (the observation shows it), not in a log file in the
  // current folder.
  mju_user_warning = [](const char*) {};
  char problem[500] = "";
  mjSpec* spec = mj_parseXMLString(model_xml(name), nullptr, problem, sizeof problem);
  mjModel* model = spec != nullptr ? mj_compile(spec, nullptr) : nullptr;
  const std::string cause = spec != nullptr ? mjs_getError(spec) : problem;
  if (spec != nullptr) mj_deleteSpec(spec);
  if (model == nullptr) {
    throw Error("MuJoCo " + library_version() + " rejects the model '" + name + "': " + cause +
                "; run 'make setup build' to fetch matching files");
  }
  return model;
}

}  // namespace

std::string library_version() {
  return mj_versionString();
}

void Simulator::Free::operator()(mjModel_* model) const {
  mj_deleteModel(model);
}

void Simulator::Free::operator()(mjData_* data) const {
  mj_deleteData(data);
}

Simulator::Simulator(const Task& task)
    : task_(&task), model_(compile(task.model)), data_(mj_makeData(model_.get())) {
  if (task.travel == Travel::kTorso) torso_ = body("torso");
}

Simulator::~Simulator() = default;
Simulator::Simulator(Simulator&&) noexcept = default;

int Simulator::control_size() const {
  return model_->nu;
}

double Simulator::control_low(int i) const {
  return row_of(model_->actuator_ctrlrange, 2, i)[0];
}

double Simulator::control_high(int i) const {
  return row_of(model_->actuator_ctrlrange, 2, i)[1];
}

std::span<const double> Simulator::initial_qpos() const {
  return array(model_->qpos0, model_->nq);
}

std::span<const double> Simulator::qpos() const {
  return array(data_->qpos, model_->nq);
}

std::span<const double> Simulator::qvel() const {
  return array(data_->qvel, model_->nv);
}

std::span<const double> Simulator::qacc_warmstart() const {
  return array(data_->qacc_warmstart, model_->nv);
}

void Simulator::start(std::span<const double> qpos, std::span<const double> qvel) {
  require(
      static_cast<int>(qpos.size()) == model_->nq && static_cast<int>(qvel.size()) == model_->nv,
      "a state of another model");
  mj_resetData(model_.get(), data_.get());
  std::copy(qpos.begin(), qpos.end(), data_->qpos);
  std::copy(qvel.begin(), qvel.end(), data_->qvel);
  mj_forward(model_.get(), data_.get());
  note_before();
}

double Simulator::step_seconds() const {
  return model_->opt.timestep * task_->frame_skip;
}

Simulator::Outcome Simulator::advance(std::span<const double> control) {
  std::copy(control.begin(), control.end(), data_->ctrl);
  for (int i = 0; i < task_->frame_skip; ++i) mj_step(model_.get(), data_.get());
  mj_rnePostConstraint(model_.get(), data_.get());

  const double travelled_before = travelled_before_, gap_cost_before = gap_cost_before_;
  note_before();
  Outcome out;
  out.terminated = (task_->healthy != nullptr && !task_->healthy(qpos(), qvel())) ||
                   (task_->tip_cost != nullptr && tip_height() <= task_->lowest_tip);
  const double seconds = step_seconds();
  out.reward = task_->travel_weight * ((travelled_before_ - travelled_before) / seconds);
  if (task_->rise_weight > 0) {
    out.reward += task_->rise_weight * (data_->qpos[2] / model_->opt.timestep);
  }
  if (task_->alive_when_ending || !out.terminated) out.reward += task_->alive;
  double squares = 0;
  for (const double value : control) squares += value * value;
  out.reward -= task_->control_cost * squares + contact_cost();
  out.reward -= task_->gaps_before_step ? gap_cost_before : gap_cost_before_;
  if (task_->tip_cost != nullptr) out.reward -= tip_cost();
  return out;
}

void Simulator::note_before() {
  travelled_before_ = travelled();
  gap_cost_before_ = gap_cost();
}

double Simulator::travelled() const {
  switch (task_->travel) {
    case Travel::kNone:
      return 0;
    case Travel::kRootSlide:
      return data_->qpos[0];
    case Travel::kTorso:
      return row_of(data_->xpos, 3, torso_)[0];
    case Travel::kMassCentre:
      break;
  }
  double moment = 0, mass = 0;
  for (int body = 0; body < model_->nbody; ++body) {
    moment += model_->body_mass[body] * row_of(data_->xipos, 3, body)[0];
    mass += model_->body_mass[body];
  }
  return moment / mass;
}

std::span<const double> Simulator::contact_forces() const {
  return array(data_->cfrc_ext, 6 * model_->nbody);
}

double Simulator::contact_cost() const {
  if (task_->contact_cost == 0) return 0;
  double squares = 0;
  for (const double force : contact_forces()) {
    const double clipped =
        std::clamp(force, -task_->contact_force_limit, task_->contact_force_limit);
    squares += clipped * clipped;
  }
  return std::min(task_->contact_cost * squares, task_->contact_cost_limit);
}

int Simulator::body(const char* name) const {
  const int id = mj_name2id(model_.get(), mjOBJ_BODY, name);
  require(id >= 0, "the model has no such body");
  return id;
}

void Simulator::gap(const Gap& between, double (&out)[3]) const {
  mju_sub3(out, row_of(data_->xpos, 3, body(between.from)),
           row_of(data_->xpos, 3, body(between.to)));
}

double Simulator::gap_cost() const {
  double cost = 0;
  for (const Gap& between : task_->gaps) {
    double difference[3];
    gap(between, difference);
    cost += between.cost * mju_norm3(difference);
  }
  return cost;
}

double Simulator::tip_height() const {
  return data_->site_xpos[2];
}

double Simulator::tip_cost() const {
  return task_->tip_cost(data_->site_xpos[0], tip_height(), qvel());
}

std::span<const double> Simulator::source(const ObsPart& part) const {
  switch (part.source) {
    case Source::kQpos:
    case Source::kCosQpos:
    case Source::kSinQpos:
      return qpos();
    case Source::kQvel:
      return qvel();
    case Source::kInertia:
      return array(data_->cinert, 10 * model_->nbody);
    case Source::kVelocity:
      return array(data_->cvel, 6 * model_->nbody);
    case Source::kActuator:
      return array(data_->qfrc_actuator, model_->nv);
    case Source::kConstraint:
      return array(data_->qfrc_constraint, model_->nv);
    case Source::kContact:
      return contact_forces();
    case Source::kBody:
      return array(row_of(data_->xpos, 3, body(part.body)), 3);
    case Source::kGap:
      break;
  }
  return {};
}

int Simulator::part_size(const ObsPart& part) const {
  if (part.count >= 0) return part.count;
  if (part.source == Source::kGap) return 3;
  return static_cast<int>(source(part).size()) - part.from;
}

int Simulator::obs_size() const {
  int size = 0;
  for (const ObsPart& part : task_->obs) size += part_size(part);
  return size;
}

void Simulator::observe(std::span<double> out) const {
  std::size_t at = 0;
  for (const ObsPart& part : task_->obs) {
    double difference[3];
    std::span<const double> values = source(part);
    if (part.source == Source::kGap) {
      gap(task_->gaps.front(), difference);
      values = difference;
    }
    const std::size_t size = static_cast<std::size_t>(part_size(part));
    for (const double value : values.subspan(static_cast<std::size_t>(part.from), size)) {
      out[at++] = part.source == Source::kCosQpos   ? std::cos(value)
                  : part.source == Source::kSinQpos ? std::sin(value)
                                                    : std::clamp(value, -part.limit, part.limit);
    }
  }
}

std::vector<double> Simulator::state() const {
  const int size = mj_stateSize(model_.get(), mjSTATE_INTEGRATION);
  std::vector<double> state(static_cast<std::size_t>(size));
  mj_getState(model_.get(), data_.get(), state.data(), mjSTATE_INTEGRATION);
  state.push_back(travelled_before_);
  state.push_back(gap_cost_before_);
  return state;
}

void Simulator::set_state(std::span<const double> state) {
  const auto size = static_cast<std::size_t>(mj_stateSize(model_.get(), mjSTATE_INTEGRATION));
  if (state.size() != size + 2) {
    throw Error("the saved state of " + task_->name +
                " is that of another MuJoCo version or model; use the version in run.json");
  }
  mj_resetData(model_.get(), data_.get());
  mj_setState(model_.get(), data_.get(), state.data(), mjSTATE_INTEGRATION);
  travelled_before_ = state[size];
  gap_cost_before_ = state[size + 1];
}

std::optional<rl::Image> Simulator::draw(RendererKind renderer, std::string& why) const {
  // On a copy: positions of limbs belong to an earlier instant, or to none after set_state(), and
  // drawing must not change what the next step reads.
  const std::unique_ptr<mjData_, Free> scratch(mj_copyData(nullptr, model_.get(), data_.get()));
  mj_kinematics(model_.get(), scratch.get());
  if (renderer != RendererKind::kOwn) {
    if (!renderer_ && no_renderer_.empty()) renderer_ = Renderer::make(*model_, no_renderer_);
    if (renderer_) {
      mj_comPos(model_.get(), scratch.get());
      mj_camlight(model_.get(), scratch.get());
      return renderer_->draw(*model_, *scratch, task_->view);
    }
    why = no_renderer_;
    if (renderer == RendererKind::kMujoco) return std::nullopt;
  }
  return mujoco::draw(*model_, *scratch, task_->view);
}

std::optional<rl::Image> Simulator::draw_observed(std::span<const float> obs,
                                                  std::string& why) const {
  const auto joints = static_cast<std::size_t>(model_->nq);
  std::vector<double> sines(joints), cosines(joints);
  std::vector<bool> seen(joints);
  const std::unique_ptr<mjData_, Free> scratch(mj_makeData(model_.get()));
  std::size_t at = 0;
  for (const ObsPart& part : task_->obs) {
    const auto first = static_cast<std::size_t>(part.from);
    const auto size = static_cast<std::size_t>(part_size(part));
    for (std::size_t joint = first; joint < first + size; ++joint, ++at) {
      if (part.source == Source::kSinQpos) sines[joint] = obs[at];
      if (part.source == Source::kCosQpos) cosines[joint] = obs[at];
      if (part.source == Source::kQpos) scratch->qpos[joint] = obs[at];
      if (part.source == Source::kQpos || part.source == Source::kCosQpos) seen[joint] = true;
    }
  }
  for (std::size_t joint = 0; joint < joints; ++joint) {
    if (sines[joint] != 0 || cosines[joint] != 0) {
      scratch->qpos[joint] = std::atan2(sines[joint], cosines[joint]);
    }
  }
  if (std::find(std::find(seen.begin(), seen.end(), true), seen.end(), false) != seen.end()) {
    why = task_->name + " does not observe all of its joints";
    return std::nullopt;
  }
  mj_kinematics(model_.get(), scratch.get());
  return mujoco::draw(*model_, *scratch, task_->view);
}

}  // namespace tarl::envs::mujoco
