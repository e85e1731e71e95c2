// SPDX-License-Identifier: MIT
#include <algorithm>
#include <numeric>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>

#include "bindings/arrays.h"
#include "bindings/gym_pools.h"
#include "bindings/returned.h"
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "tarl/core/error.h"

namespace nb = nanobind;

namespace tarl::python {

namespace {

// One value per environment, of any numeric type; `vector` is a tarl._vector.Vector.
template <class T>
std::vector<T> column(nb::handle vector, nb::handle values, std::size_t size, const char* what) {
  Array<const T> array;
  if (!nb::try_cast(values, array, false) || array.shape(0) != size) {
    array = nb::cast<Array<const T>>(
        vector.attr("column")(values, what, std::is_same_v<T, bool> ? "bool" : "float64"));
  }
  return std::vector<T>(array.data(), array.data() + size);
}

}  // namespace

GymVector::GymVector(std::shared_ptr<GymTask> task, std::span<const Rng> streams)
    : task_(std::move(task)),
      rngs_(streams.begin(), streams.end()),
      current_(streams.size() * spec().obs.bytes()),
      score_(streams.size()) {
  const nb::gil_scoped_acquire gil;
  const nb::object env = task_->training.take();
  const auto size = nb::cast<std::size_t>(env.attr("num_envs"));
  if (size != streams.size()) {
    throw UsageError(spec().name + " has " + std::to_string(size) + " environments, and n_envs = " +
                     std::to_string(streams.size()) + "; set n_envs to as many");
  }
  vector_ = nb::module_::import_("tarl._vector")
                .attr("Vector")(env, spec().name, task_->bridged.attr("env_state"));
  step_ = vector_.attr("step");
  same_step_ = nb::cast<bool>(vector_.attr("same_step"));
  resumable_ = nb::cast<bool>(vector_.attr("resumable"));
  task_->held.insert(this);
}

GymVector::~GymVector() {
  const nb::gil_scoped_acquire gil;
  task_->held.erase(this);
  close();
}

void GymVector::close() {
  if (vector_.is_valid()) close_quietly(vector_);
  clear();
}

int GymVector::traverse(visitproc visit, void* arg) const {
  Py_VISIT(vector_.ptr());
  Py_VISIT(step_.ptr());
  return 0;
}

void GymVector::clear() {
  vector_.reset();
  step_.reset();
}

std::span<std::byte> GymVector::row(std::span<std::byte> block, std::size_t place) const {
  const std::size_t bytes = spec().obs.bytes();
  return block.subspan(place * bytes, bytes);
}

std::int64_t GymVector::draw(std::size_t place) {
  return episode_seed(rngs_[place]);
}

void GymVector::observe(nb::handle value) {
  task_->spaces.read_all(value, static_cast<std::int64_t>(rngs_.size()), current_);
}

void GymVector::begin() {
  begun_ = true;
  std::vector<std::int64_t> seeds;
  for (std::size_t i = 0; i < rngs_.size(); ++i) seeds.push_back(draw(i));
  observe(vector_.attr("begin")(seeds));
}

void GymVector::begin_some(std::span<const int> places) {
  std::vector<std::optional<std::int64_t>> seeds(rngs_.size());
  for (const int place : places) {
    const auto i = static_cast<std::size_t>(place);
    seeds[i] = draw(i);
  }
  observe(vector_.attr("begin_some")(seeds));
}

void GymVector::reset(std::span<const int> places, std::span<std::byte> obs) {
  const nb::gil_scoped_acquire gil;
  if (!begun_) {
    begin();
  } else if (!same_step_) {
    begin_some(places);
  }
  for (const int place : places) {
    const auto i = static_cast<std::size_t>(place);
    const auto first = row(current_, i);
    std::copy(first.begin(), first.end(), row(obs, i).begin());
  }
}

void GymVector::step(std::span<const rl::Action> actions, std::span<std::byte> obs,
                     std::span<rl::StepResult> results) {
  const nb::gil_scoped_acquire gil;
  const Returned returned(step_(task_->spaces.to_python(actions)), 5, spec().name,
                          "step() must return (observations, rewards, terminations, truncations, "
                          "infos)");
  observe(returned[0]);
  std::copy(current_.begin(), current_.end(), obs.begin());
  const std::size_t size = actions.size();
  const auto rewards = column<double>(vector_, returned[1], size, "rewards");
  const auto terminated = column<bool>(vector_, returned[2], size, "terminations");
  const auto truncated = column<bool>(vector_, returned[3], size, "truncations");
  for (std::size_t i = 0; i < size; ++i) {
    rl::StepResult& result = results[i];
    result = {.reward = static_cast<float>(rewards[i]),
              .terminated = terminated[i],
              .truncated = truncated[i],
              .score = static_cast<float>(rewards[i])};
    if (result.done()) {
      finish_episode(i, returned[4], row(obs, i), result);
    } else {
      score_[i] += result.score;
    }
  }
}

void GymVector::finish_episode(std::size_t place, nb::handle infos, std::span<std::byte> obs,
                               rl::StepResult& result) {
  const nb::object score = vector_.attr("score")(infos, place);
  if (!score.is_none()) result.score = static_cast<float>(nb::cast<double>(score) - score_[place]);
  result.score_episode_over = true;
  score_[place] = 0;
  if (!same_step_) return;
  task_->spaces.read_row(vector_.attr("final")(infos), static_cast<std::int64_t>(place), obs);
}

void GymVector::save(StateWriter& out) const {
  for (std::size_t i = 0; i < rngs_.size(); ++i) out.put("rng" + std::to_string(i), rngs_[i]);
  if (!resumable_) return;
  out.put("current", current_);
  out.put("score", score_);
  const nb::gil_scoped_acquire gil;
  int number = 0;
  for (const nb::handle state : vector_.attr("get_state")()) {
    const auto bytes = nb::cast<nb::bytes>(state);
    out.put("state" + std::to_string(number++), std::string(bytes.c_str(), bytes.size()));
  }
}

std::vector<int> GymVector::load(const StateReader& in) {
  for (std::size_t i = 0; i < rngs_.size(); ++i) in.get("rng" + std::to_string(i), rngs_[i]);
  if (!resumable_) {
    std::vector<int> lost(rngs_.size());
    std::iota(lost.begin(), lost.end(), 0);
    return lost;
  }
  in.get("current", current_);
  in.get("score", score_);
  nb::gil_scoped_acquire gil;
  nb::list states;
  for (int i = 0; in.has("state" + std::to_string(i)); ++i) {
    std::string state;
    in.get("state" + std::to_string(i), state);
    states.append(nb::bytes(state.data(), state.size()));
  }
  if (!begun_) begin();
  vector_.attr("set_state")(states);
  return {};
}

}  // namespace tarl::python
