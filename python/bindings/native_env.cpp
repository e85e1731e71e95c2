// SPDX-License-Identifier: MIT
#include "bindings/native_env.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>
#include <optional>

#include "bindings/arrays.h"
#include "bindings/bindings.h"
#include "bindings/observations.h"
#include <nanobind/ndarray.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "tarl/core/error.h"
#include "tarl/core/formats/safetensors.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace tarl::python {

namespace {

constexpr const char* kStateFormat = "tarl-environments-1";

std::map<std::string, std::string> metadata(const Task& task, std::size_t count) {
  return {{"format", kStateFormat},
          {"environment", task.name()},
          {"environments", std::to_string(count)}};
}

Task native_task(const std::string& name, const std::map<std::string, std::string>& settings) {
  const envs::Entry& entry = envs::registry().find(name);
  envs::EnvConfig config;
  Fields table = fields(config);
  for (const auto& [key, value] : settings) set_field(table, "environment." + key, value, name);
  return Task(entry, entry.completed(config));
}

// One environment. The overhead of a step is small, so that a Python loop over a small task does
// not spend its time in the binding.
class Env {
 public:
  Env(Task task, std::uint64_t seed) : task_(std::move(task)), lane_(task_, seed) {
    const rl::ObsSpec& obs = lane_.spec().obs;
    const nb::module_ numpy = nb::module_::import_("numpy");
    const nb::object array =
        numpy.attr("zeros")(nb::tuple(nb::cast(plain_shape(obs))), plain_dtype(obs));
    last_ = nb::cast<nb::ndarray<nb::c_contig, nb::device::cpu>>(array);
    copy_of_last_ = array.attr("copy");
    to_floats_ = numpy.attr("ascontiguousarray");
  }

  Description spec() const { return describe(lane_.spec()); }

  void seed(std::uint64_t seed) { lane_.seed(task_, seed); }

  nb::object reset() {
    lane_.reset();
    return observation();
  }

  nb::tuple step(nb::handle action) {
    if (lane_.over()) refuse_until_reset(lane_);
    const rl::StepResult result = lane_.step(to_action(action));
    nb::dict info;
    info[score_] = static_cast<double>(result.score);
    info[score_episode_over_] = result.score_episode_over;
    return nb::make_tuple(observation(), static_cast<double>(result.reward), result.terminated,
                          result.truncated, info);
  }

  nb::object render() const { return lane_.render(); }

  nb::bytes get_state() const { return state_of(task_, std::span(&lane_, 1)); }

  void set_state(const nb::bytes& state) { python::set_state(task_, std::span(&lane_, 1), state); }

 private:
  nb::object observation() {
    lane_.show({static_cast<std::byte*>(last_.data()), last_.nbytes()});
    return copy_of_last_();
  }

  rl::Action to_action(nb::handle action) const {
    const rl::ActionSpec& spec = lane_.spec().action;
    if (spec.discrete()) {
      const Py_ssize_t index = PyNumber_AsSsize_t(action.ptr(), nullptr);
      if (index == -1 && PyErr_Occurred() != nullptr) throw nb::python_error();
      return discrete_action(spec, index);
    }
    using Floats = nb::ndarray<const float, nb::c_contig, nb::device::cpu>;
    Floats values;
    if (!nb::try_cast(action, values, false)) {
      values = nb::cast<Floats>(to_floats_(action, "float32"));
    }
    if (values.ndim() != 1)
      throw UsageError("an action has one dimension here, not " + std::to_string(values.ndim()));
    return continuous_action(spec, {values.data(), values.size()});
  }

  Task task_;
  Lane lane_;
  nb::ndarray<nb::c_contig, nb::device::cpu> last_;  // the array whose copies are returned
  nb::object copy_of_last_, to_floats_;
  nb::str score_ = nb::str("score"), score_episode_over_ = nb::str("score_episode_over");
};

}  // namespace

Task::Task(envs::Entry entry, const envs::EnvConfig& config)
    : entry_(std::move(entry)), config_(config) {}

std::unique_ptr<rl::Environment> Task::make(std::uint64_t seed) const {
  return entry_.make(config_, seeded(seed).fork("env/0"));
}

Lane::Lane(const Task& task, std::uint64_t seed) {
  this->seed(task, seed);
}

void Lane::seed(const Task& task, std::uint64_t seed) {
  env_ = task.make(seed);
  obs_.assign(spec().obs.bytes(), std::byte{0});
  started_ = false;
  over_ = true;
}

void Lane::reset() {
  env_->reset(obs_);
  started_ = true;
  over_ = false;
}

rl::StepResult Lane::step(const rl::Action& action) {
  const rl::StepResult result = env_->step(action, obs_);
  over_ = result.done();
  return result;
}

void Lane::show(std::span<std::byte> plain) const {
  to_plain(spec().obs, obs_, plain);
}

nb::object Lane::render() const {
  std::string why;
  std::optional<rl::Image> image = env_->render(why);
  if (!image) throw Error(spec().name + ": " + why);
  const auto height = static_cast<std::size_t>(image->height);
  return to_numpy(std::move(image->rgb), {height, static_cast<std::size_t>(image->width), 3});
}

void Lane::save(StateWriter& out) const {
  env_->save(out);
  out.put("lane/obs", obs_);
  out.put("lane/started", started_);
  out.put("lane/over", over_);
}

void Lane::load(const StateReader& in) {
  env_->load(in);
  in.get("lane/obs", obs_);
  in.get("lane/started", started_);
  in.get("lane/over", over_);
}

Description describe(const rl::EnvSpec& spec) {
  nb::dict out;
  const rl::ActionSpec& action = spec.action;
  const auto bounds = [&](const auto& values) {
    return nb::cast(std::vector<float>(values.begin(), values.begin() + action.size));
  };
  out["name"] = spec.name;
  out["shape"] = nb::tuple(nb::cast(plain_shape(spec.obs)));
  out["dtype"] = plain_dtype(spec.obs);
  out["actions"] = action.count;
  out["low"] = bounds(action.low);
  out["high"] = bounds(action.high);
  out["step_seconds"] = spec.step_seconds;
  return out;
}

rl::Action discrete_action(const rl::ActionSpec& spec, std::int64_t index) {
  if (index < 0 || index >= spec.count) {
    throw UsageError("action " + std::to_string(index) + " is not in 0.." +
                     std::to_string(spec.count - 1));
  }
  rl::Action action;
  action.index = static_cast<std::int32_t>(index);
  return action;
}

rl::Action continuous_action(const rl::ActionSpec& spec, std::span<const float> values) {
  if (values.size() != static_cast<std::size_t>(spec.size)) {
    throw UsageError("an action of this environment is " + std::to_string(spec.size) +
                     " numbers, not " + std::to_string(values.size()));
  }
  rl::Action action;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (std::isnan(values[i])) throw UsageError("an action is not a number");
    const float value = std::clamp(values[i], spec.low[i], spec.high[i]);
    action.values[i] = 2 * (value - spec.low[i]) / (spec.high[i] - spec.low[i]) - 1;
  }
  return action;
}

void refuse_until_reset(const Lane& lane) {
  const nb::object type = nb::module_::import_("gymnasium.error").attr("ResetNeeded");
  PyErr_SetString(type.ptr(), lane.started() ? "the episode is over: call reset() first"
                                             : "call reset() first");
  throw nb::python_error();
}

nb::bytes state_of(const Task& task, std::span<const Lane> lanes) {
  if (!lanes.front().spec().resumable) {
    throw Error(task.name() + ": its simulator cannot give its state away");
  }
  SafetensorsFile file;
  file.metadata = metadata(task, lanes.size());
  const StateWriter out(file.tensors);
  for (std::size_t i = 0; i < lanes.size(); ++i) {
    StateWriter group = out.group(std::to_string(i));
    lanes[i].save(group);
  }
  const std::vector<std::byte> bytes = encode_safetensors(file);
  return nb::bytes(bytes.data(), bytes.size());
}

void set_state(const Task& task, std::span<Lane> lanes, const nb::bytes& state) {
  const auto* data = static_cast<const std::byte*>(state.data());
  const std::string source = "the state of " + task.name();
  const SafetensorsFile file = decode_safetensors({data, state.size()}, source);
  if (file.metadata != metadata(task, lanes.size())) {
    std::string has;
    for (const auto& [key, value] : file.metadata)
      has += (has.empty() ? "" : ", ") + key + " = " + value;
    throw Error("this state is not of " + std::to_string(lanes.size()) + " x " + task.name() +
                ": it has " + (has.empty() ? "no description" : has));
  }
  const StateReader in(file.tensors, source);
  for (std::size_t i = 0; i < lanes.size(); ++i) lanes[i].load(in.group(std::to_string(i)));
}

void bind_native_envs(nb::module_& module) {
  nb::class_<Task>(module, "Task", "What environments of ours are made from.")
      .def_prop_ro("name", &Task::name);
  module.def("native_task", native_task, "name"_a, "settings"_a);
  module.def("environments", [] { return envs::registry().names(); });
  nb::class_<Env>(module, "Env", "One environment of ours.")
      .def(nb::init<Task, std::uint64_t>(), "task"_a, "seed"_a)
      .def_prop_ro("spec", &Env::spec)
      .def("seed", &Env::seed, "seed"_a)
      .def("reset", &Env::reset, nb::sig("def reset(self) -> numpy.typing.NDArray[typing.Any]"))
      .def("step", &Env::step, "action"_a.none(),
           nb::sig("def step(self, action: typing.Any) -> tuple[numpy.typing.NDArray[typing.Any], "
                   "float, bool, bool, dict[str, typing.Any]]"))
      .def("render", &Env::render)
      .def("get_state", &Env::get_state)
      .def("set_state", &Env::set_state, "state"_a);
  bind_vector_env(module);
  bind_atari(module);
}

}  // namespace tarl::python
