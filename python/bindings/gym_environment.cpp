// SPDX-License-Identifier: MIT
#include "bindings/gym_environment.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <string>
#include <utility>

#include "bindings/returned.h"
#include <nanobind/stl/string.h>

#include "tarl/core/error.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace tarl::python {

namespace {

// Nothing if `info` has no such key, which is most often empty, or is no dict.
std::optional<nb::object> look_up(nb::handle info, const char* key) {
  if (!PyDict_Check(info.ptr()) || PyDict_Size(info.ptr()) == 0) return std::nullopt;
  PyObject* const value = PyDict_GetItemString(info.ptr(), key);
  if (value == nullptr) return std::nullopt;
  return nb::borrow(value);
}

}  // namespace

std::int64_t episode_seed(Rng& rng) {
  return static_cast<std::int64_t>(rng.bits() >> 33);
}

GymEnvironment::GymEnvironment(std::shared_ptr<GymTask> task, GymMaker& maker, Rng rng)
    : task_(std::move(task)),
      maker_(maker),
      rng_(rng),
      played_(spec().action),
      obs_(spec().obs.bytes()) {
  const nb::gil_scoped_acquire gil;
  env_ = maker_.take();
  const auto way = nb::cast<std::string>(
      task_->helpers.attr("way_to_resume")(env_, task_->bridged.attr("env_state"), spec().name));
  way_ = way == "protocol" ? WayToResume::kProtocol
         : way == "replay" ? WayToResume::kReplay
                           : WayToResume::kRestart;
  has_lives_ = nb::cast<bool>(task_->helpers.attr("has_lives")(env_));
  step_ = env_.attr("step");
  reset_ = env_.attr("reset");
  task_->held.insert(this);
}

GymEnvironment::~GymEnvironment() {
  const nb::gil_scoped_acquire gil;
  task_->held.erase(this);
  step_.reset();
  reset_.reset();
  if (!env_.is_valid()) return;
  // An environment with get_state() may keep state beyond an episode, so it would not be as good as
  // new.
  if (failed_ || way_ == WayToResume::kProtocol) {
    close_quietly(env_);
    env_.reset();
  } else {
    maker_.give_back(std::move(env_));
  }
}

int GymEnvironment::traverse(visitproc visit, void* arg) const {
  Py_VISIT(env_.ptr());
  Py_VISIT(step_.ptr());
  Py_VISIT(reset_.ptr());
  return 0;
}

void GymEnvironment::close() {
  if (env_.is_valid()) close_quietly(env_);
  clear();
}

void GymEnvironment::clear() {
  env_.reset();
  step_.reset();
  reset_.reset();
}

void GymEnvironment::reset(std::span<std::byte> obs) {
  const bool seeded = way_ != WayToResume::kProtocol || !begun_;
  if (seeded) seed_ = episode_seed(rng_);
  begin(seeded);
  std::copy(obs_.begin(), obs_.end(), obs.begin());
}

void GymEnvironment::begin(bool seeded) {
  const nb::gil_scoped_acquire gil;
  played_.clear();
  rewards_ = 0;
  begun_ = true;
  failed_ = true;
  const Returned returned(seeded ? reset_("seed"_a = seed_) : reset_(), 2, spec().name,
                          "reset() must return (observation, info)");
  std::fill(obs_.begin(), obs_.end(), std::byte{0});
  observe(returned[0]);
  failed_ = false;
}

rl::StepResult GymEnvironment::step(const rl::Action& action, std::span<std::byte> obs) {
  if (way_ == WayToResume::kReplay) played_.add(action);
  const rl::StepResult result = play(action);
  std::copy(obs_.begin(), obs_.end(), obs.begin());
  return result;
}

rl::StepResult GymEnvironment::play(const rl::Action& action) {
  const nb::gil_scoped_acquire gil;
  failed_ = true;
  const Returned returned(step_(task_->spaces.to_python(action)), 5, spec().name,
                          "step() must return (observation, reward, terminated, truncated, info)");
  const std::size_t older = obs_.size() - task_->spaces.frame_bytes();
  if (older > 0) std::memmove(obs_.data(), obs_.data() + (obs_.size() - older), older);
  observe(returned[0]);
  rl::StepResult result;
  result.reward = static_cast<float>(number(returned[1], spec().name, "reward"));
  result.terminated = truth(returned[2], spec().name, "terminated");
  result.truncated = truth(returned[3], spec().name, "truncated");
  count_score(returned[4], result);
  rewards_ += result.reward;
  failed_ = false;
  return result;
}

// Rewards may be clipped or scaled for the agent, and an episode may continue for the score: tarl's
// own environments report both in every step, RecordEpisodeStatistics and the like at its end.
void GymEnvironment::count_score(nb::handle info, rl::StepResult& result) {
  result.score = result.reward;
  result.score_episode_over = result.done();
  if (const auto over = look_up(info, "score_episode_over")) {
    result.score = static_cast<float>(number(nb::object(info["score"]), spec().name, "score"));
    result.score_episode_over = truth(*over, spec().name, "score_episode_over");
  } else if (result.done()) {
    const auto episode = look_up(info, "episode");  // an environment may mean something else by it
    const auto told = episode ? look_up(*episode, "r") : std::nullopt;
    if (told) {
      result.score =
          static_cast<float>(number(*told, spec().name, "info['episode']['r']") - score_);
    }
    result.score_episode_over = told || !has_lives_;
  }
  score_ = result.score_episode_over ? 0 : score_ + result.score;
}

void GymEnvironment::observe(nb::handle value) {
  task_->spaces.read(value, std::span(obs_).last(task_->spaces.frame_bytes()));
}

void GymEnvironment::save(StateWriter& out) const {
  out.put("way", static_cast<std::int32_t>(way_));
  out.put("rng", rng_);
  out.put("seed", seed_);
  out.put("obs", obs_);
  out.put("rewards", rewards_);
  out.put("score", score_);
  if (way_ == WayToResume::kReplay) played_.save(out);
  if (way_ != WayToResume::kProtocol) return;
  const nb::gil_scoped_acquire gil;
  const auto state = nb::cast<nb::bytes>(task_->helpers.attr("get_state")(env_, spec().name));
  out.put("state", std::string(state.c_str(), state.size()));
}

void GymEnvironment::load(const StateReader& in) {
  std::int32_t way = 0;
  in.get("way", way);
  in.get("rng", rng_);
  if (!resumes()) return;
  if (way != static_cast<std::int32_t>(way_)) {
    throw Error(spec().name +
                ": its state was saved with another env_state; resume with that one, or with "
                "env_state='restart'");
  }
  in.get("seed", seed_);
  if (way_ == WayToResume::kReplay) {
    play_again(in);
  } else {
    put_back(in);
  }
  in.get("score", score_);
}

void GymEnvironment::put_back(const StateReader& in) {
  if (!begun_) begin(true);  // wrappers refuse an environment that was never reset
  std::string state;
  in.get("state", state);
  in.get("obs", obs_);
  in.get("rewards", rewards_);
  const nb::gil_scoped_acquire gil;
  task_->helpers.attr("set_state")(env_, nb::bytes(state.data(), state.size()));
}

void GymEnvironment::play_again(const StateReader& in) {
  begin(true);
  played_.load(in);
  for (std::size_t i = 0; i < played_.size(); ++i) play(played_[i]);
  double rewards = 0;
  in.get("rewards", rewards);
  const bool same = std::bit_cast<std::uint64_t>(rewards_) == std::bit_cast<std::uint64_t>(rewards);
  if (same && obs_ == in.get_vector<std::byte>("obs")) return;
  const nb::gil_scoped_acquire gil;
  throw Error(nb::cast<std::string>(task_->helpers.attr("refusal")(spec().name, played_.size())));
}

}  // namespace tarl::python
