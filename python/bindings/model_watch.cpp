// SPDX-License-Identifier: MIT
#include "bindings/model_watch.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "bindings/arrays.h"
#include <nanobind/stl/string.h>

namespace nb = nanobind;

namespace tarl::python {

namespace {

std::vector<nb::object> functions(const nb::dict& hooks, const char* kind) {
  std::vector<nb::object> out;
  for (const nb::handle call : hooks[kind]) out.push_back(nb::borrow(call));
  return out;
}

template <class T>
nb::object copied(std::span<const T> values) {
  return to_numpy(std::vector<T>(values.begin(), values.end()), {values.size()});
}

}  // namespace

ModelWatch::ModelWatch(nb::handle model, const nb::dict& hooks, std::int64_t step)
    : model_(model),
      next_step_(std::numeric_limits<std::int64_t>::max()),
      episodes_(functions(hooks, "episode")),
      evaluations_(functions(hooks, "evaluation")),
      rows_(functions(hooks, "log")),
      checkpoints_(functions(hooks, "checkpoint")) {
  for (const nb::handle pair : hooks["step"]) {
    const auto every = nb::cast<std::int64_t>(pair[1]);
    steps_.push_back({nb::borrow(pair[0]), every, (step / every + 1) * every});
    next_step_ = std::min(next_step_, steps_.back().next);
  }
}

void ModelWatch::keep_failure() {
  if (!failure_) failure_ = std::current_exception();
  ask_for_stop();
}

template <class... Arguments>
void ModelWatch::tell(nb::handle call, const Arguments&... arguments) {
  if (failure_) return;
  try {
    if (call(model_, arguments...).ptr() == Py_False) ask_for_stop();
  } catch (const nb::python_error&) {
    keep_failure();
  }
}

void ModelWatch::stepped(std::int64_t step) {
  if (step < next_step_) return;
  const nb::gil_scoped_acquire gil;
  next_step_ = std::numeric_limits<std::int64_t>::max();
  for (StepHook& hook : steps_) {
    if (step >= hook.next) {
      tell(hook.call, step);
      hook.next = (step / hook.every + 1) * hook.every;
    }
    next_step_ = std::min(next_step_, hook.next);
  }
}

void ModelWatch::episode(double ret, std::int64_t length, std::int64_t step) {
  if (episodes_.empty()) return;
  const nb::gil_scoped_acquire gil;
  for (const nb::object& call : episodes_) tell(call, step, ret, length);
}

void ModelWatch::row(std::int64_t step, const store::LogRow& row) {
  if (rows_.empty()) return;
  const nb::gil_scoped_acquire gil;
  for (const nb::object& call : rows_) {
    nb::dict values;  // a new one: callbacks may keep it
    for (const auto& [tag, value] : row) values[tag.c_str()] = value;
    tell(call, step, values);
  }
}

void ModelWatch::evaluation(std::int64_t step, std::span<const double> returns,
                            std::span<const std::int64_t> lengths) {
  if (evaluations_.empty()) return;
  const nb::gil_scoped_acquire gil;
  for (const nb::object& call : evaluations_) tell(call, step, copied(returns), copied(lengths));
}

void ModelWatch::checkpointed(std::int64_t step) {
  if (checkpoints_.empty()) return;
  const nb::gil_scoped_acquire gil;
  for (const nb::object& call : checkpoints_) tell(call, step);
}

void ModelWatch::look_for_signals() {
  if (failure_ || PyErr_CheckSignals() == 0) return;
  try {
    throw nb::python_error();
  } catch (const nb::python_error&) {
    keep_failure();
  }
}

void ModelWatch::rethrow() const {
  if (failure_) std::rethrow_exception(failure_);
}

int ModelWatch::traverse(visitproc visit, void* arg) const {
  for (const StepHook& hook : steps_) Py_VISIT(hook.call.ptr());
  for (const auto* calls : {&episodes_, &evaluations_, &rows_, &checkpoints_}) {
    for (const nb::object& call : *calls) Py_VISIT(call.ptr());
  }
  return 0;
}

}  // namespace tarl::python
