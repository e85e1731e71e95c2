// SPDX-License-Identifier: MIT
//
// What a model does besides learning: act, be evaluated, expose its parameters.
#include <algorithm>
#include <cstring>
#include <utility>

#include "bindings/model.h"
#include <nanobind/stl/string.h>

#include "tarl/core/error.h"
#include "tarl/envs/registry.h"
#include "tarl/train/make_agent.h"
#include "tarl/train/nonfinite.h"

namespace nb = nanobind;

namespace tarl::python {

namespace {

// The observations of act(), as the agent reads them.
struct Rows {
  std::vector<std::byte> obs;
  std::size_t size = 1;
  bool batch = false;
};

void refuse_nonfinite(const rl::ObsSpec& spec, std::span<const std::byte> obs) {
  if (train::nonfinite_part(spec, obs, {}) == nullptr) return;
  throw NonFiniteError("predict() got an observation that is not finite");
}

Rows read_rows(const GymSpaces& spaces, nb::handle obs) {
  Rows rows;
  const std::int64_t count = spaces.count(obs);
  rows.batch = count >= 0;
  if (rows.batch) rows.size = static_cast<std::size_t>(count);
  rows.obs.resize(rows.size * spaces.frame_bytes());
  if (rows.batch) {
    spaces.read_all(obs, count, rows.obs);
  } else {
    spaces.read(obs, rows.obs);
  }
  refuse_nonfinite(spaces.spec().obs, rows.obs);
  return rows;
}

// Prepends the previous frames to the newest ones. `state` is the one returned by the previous
// call.
void stack_frames(const GymSpaces& spaces, nb::handle state, nb::handle starts, Rows& rows) {
  const std::size_t whole = spaces.spec().obs.bytes(), frame = spaces.frame_bytes();
  std::vector<std::byte> stacked(rows.size * whole);
  if (!state.is_none()) {
    Array<const std::uint8_t, 2> before;
    if (!nb::try_cast(state, before, false) || before.shape(0) != rows.size ||
        before.shape(1) != whole) {
      throw nb::value_error("state is what predict() returned for as many observations");
    }
    std::memcpy(stacked.data(), before.data(), stacked.size());
  }
  if (!starts.is_none() && PyObject_Size(starts.ptr()) != static_cast<Py_ssize_t>(rows.size)) {
    PyErr_Clear();  // no sequence
    throw nb::value_error("episode_start has a value for each observation");
  }
  for (std::size_t row = 0; row < rows.size; ++row) {
    std::byte* const at = stacked.data() + row * whole;
    if (!starts.is_none() && nb::cast<bool>(nb::bool_(nb::object(starts[row])))) {
      std::memset(at, 0, whole);
    }
    std::memmove(at, at + frame, whole - frame);
    std::memcpy(at + (whole - frame), rows.obs.data() + row * frame, frame);
  }
  rows.obs = std::move(stacked);
}

nb::object state_of(const GymSpaces& spaces, const Rows& rows) {
  const auto* bytes = reinterpret_cast<const std::uint8_t*>(rows.obs.data());
  return to_numpy(std::vector<std::uint8_t>(bytes, bytes + rows.obs.size()),
                  {rows.size, spaces.spec().obs.bytes()});
}

void choose(const Acting& acting, const Rows& rows, std::vector<rl::Action>& actions) {
  std::vector<Rng> streams(rows.size);
  if (acting.mode.explore) {
    for (Rng& stream : streams) stream.key = acting.stream.bits();
  }
  acting.agent.act(rows.obs, static_cast<int>(rows.size), acting.mode, streams, actions);
}

std::vector<std::size_t> shape_of(const Tensor& tensor) {
  return {tensor.shape.begin(), tensor.shape.end()};
}

nb::object array_of(const Tensor& tensor) {
  const auto copied = [&]<class T>(T) {
    const auto values = tensor.as<T>();
    return to_numpy(std::vector<T>(values.begin(), values.end()), shape_of(tensor));
  };
  if (tensor.dtype == Dtype::kF32) return copied(float{});
  if (tensor.dtype == Dtype::kF64) return copied(double{});  // moments of normalize.obs
  return copied(std::int64_t{});
}

// The values for a parameter that is now `current`. Throws UsageError if they are of another shape
// or type.
Tensor tensor_of(const std::string& name, nb::handle value, const Tensor& current) {
  const auto array = nb::cast<nb::ndarray<nb::ro, nb::c_contig, nb::device::cpu>>(value);
  const auto shape = shape_of(current);
  bool same = array.ndim() == shape.size() && array.nbytes() == current.bytes.size();
  for (std::size_t i = 0; same && i < shape.size(); ++i) same = array.shape(i) == shape[i];
  if (!same) throw UsageError("parameter '" + name + "' has another shape in this agent");
  Tensor out = current;
  std::memcpy(out.bytes.data(), array.data(), out.bytes.size());
  return out;
}

nb::dict scores_of(const train::EvaluationScores& scores) {
  const std::size_t size = scores.returns.size();
  nb::dict out;
  out["returns"] = to_numpy(scores.returns, {size});
  out["lengths"] = to_numpy(scores.lengths, {size});
  out["cut"] = scores.cut;
  return out;
}

// Throws UsageError if the other environment has different spaces.
void refuse_other_spaces(const rl::EnvSpec& mine, const rl::EnvSpec& its) {
  const rl::ActionSpec &a = mine.action, &b = its.action;
  if (mine.obs == its.obs && a.count == b.count && a.size == b.size) return;
  throw UsageError("the agent of " + mine.name + " cannot play " + its.name +
                   ": it has other observations or actions");
}

}  // namespace

nb::tuple act(const Acting& acting, nb::handle obs, nb::handle state, nb::handle starts) {
  const GymSpaces& spaces = acting.spaces;
  Rows rows = read_rows(spaces, obs);
  const bool stacks = spaces.spec().obs.frame_stack > 1;
  if (stacks) stack_frames(spaces, state, starts, rows);
  std::vector<rl::Action> actions(rows.size);
  // Waiting for the GIL takes longer than computing a vector.
  if (rows.batch || spaces.spec().obs.kind != rl::ObsKind::kFloats || acting.alone != nullptr) {
    const nb::gil_scoped_release free;
    std::unique_lock<std::mutex> lock;
    if (acting.alone != nullptr) lock = std::unique_lock(*acting.alone);
    choose(acting, rows, actions);
  } else {
    choose(acting, rows, actions);
  }
  const nb::object chosen =
      rows.batch ? spaces.to_python(actions) : spaces.to_python(actions.front());
  return nb::make_tuple(chosen, stacks ? state_of(spaces, rows) : nb::none());
}

nb::tuple Model::predict(nb::handle obs, nb::handle state, nb::handle starts, bool deterministic) {
  const ModelUse use(*this);
  const rl::ActMode mode{.explore = !deterministic,
                         .epsilon = deterministic ? 0 : train::epsilon_after(config(), steps())};
  return act({run_->loop().agent(), spaces(), mode, looks_}, obs, state, starts);
}

nb::dict Model::evaluate(int episodes, std::uint64_t seed, const std::string& env,
                         nb::object bridged) {
  const ModelUse use(*this);
  train::RunConfig played = config();
  if (!env.empty()) {
    played.env = env;
    played.own_env = nullptr;
    played = train::completed(std::move(played));
  } else if (!bridged.is_none()) {
    played.own_env = own_env(std::move(bridged));
  }
  refuse_other_spaces(config().environment().describe(), played.environment().describe());
  std::optional<train::EvaluationScores> scores;
  {
    const nb::gil_scoped_release free;
    scores = train::evaluate_policy({.make = train::environments_of(played),
                                     .agent = run_->loop().agent(),
                                     .episodes = episodes,
                                     .epsilon = config().eval.epsilon,
                                     .stream = seeded(seed).fork("evaluate"),
                                     .stop = [this] { return interrupted(); }});
  }
  return scores_of(*scores);
}

// Throws what a signal handler raised.
bool Model::interrupted() {
  const auto now = std::chrono::steady_clock::now();
  if (now - looked_ < kBetweenLooks) return false;
  looked_ = now;
  const nb::gil_scoped_acquire gil;
  if (PyErr_CheckSignals() != 0) throw nb::python_error();
  return false;
}

nb::dict Model::evaluations() const {
  const ModelUse use(*this);
  const store::Evaluations& made = run_->evaluations();
  nb::dict out;
  out["timesteps"] = to_numpy(made.timesteps, {made.count()});
  out["returns"] = to_numpy(made.returns, {made.count(), made.episodes()});
  out["lengths"] = to_numpy(made.lengths, {made.count(), made.episodes()});
  return out;
}

nb::dict Model::parameters() const {
  const ModelUse use(*this);
  nb::dict out;
  for (const auto& [name, tensor] : agent().parameters()) {
    out[name.c_str()] = array_of(tensor);
  }
  return out;
}

void Model::set_parameters(const nb::dict& parameters) {
  const ModelUse use(*this);
  rl::Agent& agent = run_->loop().agent();
  const Tensors current = agent.parameters();
  Tensors given;
  for (const auto [key, value] : parameters) {
    const auto name = nb::cast<std::string>(key);
    const auto mine = current.find(name);
    if (mine == current.end()) throw UsageError("this agent has no parameter '" + name + "'");
    given[name] = tensor_of(name, value, mine->second);
  }
  for (const auto& [name, tensor] : current) {
    if (!given.contains(name)) throw UsageError("parameter '" + name + "' is missing");
  }
  agent.set_parameters(StateReader(given, "set_parameters()"));
}

FrozenPolicy::FrozenPolicy(const Model& model, const nb::object& spaces) : spaces_(spaces) {
  const ModelUse use(model);
  const train::RunConfig& config = model.config();
  agent_ = train::make_agent(config, spaces_.spec(), seeded(0), team_);
  const Tensors parameters = model.agent().parameters();
  agent_->set_parameters(StateReader(parameters, "a policy"));
  epsilon_ = train::epsilon_after(config, model.steps());
  looks_ = model.looks_.fork("policy");
}

nb::tuple FrozenPolicy::predict(nb::handle obs, nb::handle state, nb::handle starts,
                                bool deterministic) {
  const rl::ActMode mode{.explore = !deterministic, .epsilon = deterministic ? 0 : epsilon_};
  return act({*agent_, spaces_, mode, looks_, &alone_}, obs, state, starts);
}

int FrozenPolicy::traverse(PyObject* self, visitproc visit, void* arg) {
  Py_VISIT(Py_TYPE(self));
  if (!nb::inst_ready(self)) return 0;
  return nb::inst_ptr<FrozenPolicy>(self)->spaces_.traverse(visit, arg);
}

int FrozenPolicy::clear(PyObject* self) {
  nb::inst_ptr<FrozenPolicy>(self)->spaces_.clear();
  return 0;
}

}  // namespace tarl::python
