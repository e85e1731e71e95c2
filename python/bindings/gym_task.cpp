// SPDX-License-Identifier: MIT
#include "bindings/gym_task.h"

#include <utility>

#include "bindings/bindings.h"
#include "bindings/gym_env.h"
#include "bindings/gym_pools.h"
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include "tarl/core/error.h"
#include "tarl/nn/nature_encoder.h"

namespace nb = nanobind;

namespace tarl::python {

void close_quietly(nb::handle env) {
  const nb::error_scope under_way;  // an exception in flight may be why the environment is closed
  try {
    if (nb::hasattr(env, "close")) env.attr("close")();
  } catch (nb::python_error& problem) {
    problem.discard_as_unraisable("closing an environment");
  }
}

GymMaker::GymMaker(nb::object make, const nb::object& made) : make_(std::move(make)) {
  if (!made.is_none()) spare_.push_back(made);
}

nb::object GymMaker::take() {
  if (spare_.empty()) return make_();
  nb::object env = std::move(spare_.back());
  spare_.pop_back();
  return env;
}

void GymMaker::close() {
  for (const nb::object& env : std::exchange(spare_, {})) close_quietly(env);
}

int GymMaker::traverse(visitproc visit, void* arg) const {
  Py_VISIT(make_.ptr());
  for (const nb::object& env : spare_) Py_VISIT(env.ptr());
  return 0;
}

void GymMaker::clear() {
  close();
  make_.reset();
}

GymTask::GymTask(nb::object from)
    : spaces(from),
      bridged(std::move(from)),
      steps_together(!bridged.attr("make_vec").is_none()),
      helpers(nb::module_::import_("tarl._resume")),
      training(steps_together ? bridged.attr("make_vec") : bridged.attr("make"),
               bridged.attr("probe")),
      evaluation(bridged.attr("make_eval"), nb::none()) {
  bridged.attr("probe") = nb::none();
  const rl::EnvSpec& about = spaces.spec();
  name = envs::kPythonFamily + about.name;
  title = about.title;
  obs = about.obs.kind;
  action_size = about.action.size;
  spec = [this] { return spaces.spec(); };
}

GymTask::~GymTask() {
  training.close();
  evaluation.close();
}

train::OwnEnv own_env(nb::object bridged) {
  // The last owner may release it without the GIL.
  const std::shared_ptr<GymTask> task(new GymTask(std::move(bridged)), [](GymTask* last) {
    const nb::gil_scoped_acquire gil;
    delete last;
  });
  const std::weak_ptr weak(task);
  task->make = [weak](const envs::EnvConfig&, Rng rng) {
    const auto held = weak.lock();
    return std::make_unique<GymEnvironment>(held, held->evaluation, rng);
  };
  task->make_pool = [weak](std::span<const Rng> streams) -> std::unique_ptr<rl::EnvironmentPool> {
    const auto held = weak.lock();
    if (held->steps_together) return std::make_unique<GymVector>(held, streams);
    return std::make_unique<GymLanes>(held, streams);
  };
  return task;
}

namespace {

GymTask& task_of(const train::OwnEnv& own) {
  return const_cast<GymTask&>(static_cast<const GymTask&>(*own));
}

}  // namespace

const GymSpaces& spaces_of(const train::OwnEnv& own) {
  return task_of(own).spaces;
}

int traverse(const train::OwnEnv& own, visitproc visit, void* arg) {
  const GymTask& task = task_of(own);
  Py_VISIT(task.bridged.ptr());
  Py_VISIT(task.helpers.ptr());
  if (const int stop = task.spaces.traverse(visit, arg)) return stop;
  for (const GymMaker* maker : {&task.training, &task.evaluation}) {
    if (const int stop = maker->traverse(visit, arg)) return stop;
  }
  for (const Held* one : task.held) {
    if (const int stop = one->traverse(visit, arg)) return stop;
  }
  return 0;
}

void close(const train::OwnEnv& own) {
  GymTask& task = task_of(own);
  for (Held* one : task.held) one->close();
  task.training.close();
  task.evaluation.close();
}

void clear(const train::OwnEnv& own) {
  GymTask& task = task_of(own);
  for (Held* one : task.held) one->clear();
  task.training.clear();
  task.evaluation.clear();
  task.spaces.clear();
  task.helpers.reset();
  task.bridged.reset();
}

void bind_gym(nb::module_& module) {
  module.attr("PYTHON_FAMILY") = envs::kPythonFamily;
  module.attr("LEAST_IMAGE_SIDE") = nn::NatureEncoder::kLeastSide;
  module.attr("MOST_ACTION_DIMENSIONS") = rl::kMaxActionSize;
  module.def(
      "native_environment",
      [](const std::string& name) { return envs::registry().find(name).name; }, nb::arg("name"),
      "The name of a native environment, which may have others. Raises UsageError with the "
      "nearest.");
}

}  // namespace tarl::python
