// SPDX-License-Identifier: MIT
#include "tarl/envs/box2d/replayed_env.h"

#include <algorithm>
#include <cstring>

#include "tarl/core/error.h"
#include "tarl/envs/box2d/bodies.h"

namespace tarl::envs::box2d {

ReplayedEnv::ReplayedEnv(rl::EnvSpec spec, std::size_t time_limit, Begin begin, Rng rng,
                         Picture picture)
    : spec_(std::move(spec)),
      time_limit_(time_limit),
      begin_(std::move(begin)),
      picture_(picture),
      rng_(rng),
      action_size_(spec_.action.discrete() ? 1 : static_cast<std::size_t>(spec_.action.size)),
      seen_(static_cast<std::size_t>(spec_.obs.size())) {}

void ReplayedEnv::begin_episode() {
  episode_rng_ = rng_;
  RngDraws draws(rng_);
  episode_ = begin_(draws);
}

Episode::Outcome ReplayedEnv::play(std::size_t step) {
  RngDraws draws(rng_);
  return episode_->play(std::span(actions_).subspan(step * action_size_, action_size_), draws);
}

void ReplayedEnv::write(std::span<std::byte> obs) {
  require(obs.size() == spec_.obs.bytes(), "observation buffer of another size");
  episode_->observe(seen_);
  std::memcpy(obs.data(), seen_.data(), obs.size());
}

void ReplayedEnv::reset(std::span<std::byte> obs) {
  actions_.clear();
  begin_episode();
  write(obs);
}

rl::StepResult ReplayedEnv::step(const rl::Action& action, std::span<std::byte> obs) {
  require(episode_ != nullptr, "step before reset");
  if (spec_.action.discrete()) {
    require(action.index >= 0 && action.index < spec_.action.count, "no such action");
    actions_.push_back(static_cast<float>(action.index));
  } else {
    actions_.insert(actions_.end(), action.values.begin(),
                    action.values.begin() + spec_.action.size);
  }
  const Episode::Outcome outcome = play(steps() - 1);
  rl::StepResult result;
  result.reward = result.score = static_cast<float>(outcome.reward);
  result.terminated = outcome.terminated;
  result.truncated = !outcome.terminated && steps() >= time_limit_;
  result.score_episode_over = result.done();
  write(obs);
  return result;
}

void ReplayedEnv::save(StateWriter& out) const {
  const bool started = episode_ != nullptr;
  out.put("started", started);
  out.put("rng", started ? episode_rng_ : rng_);
  out.put("actions", actions_);
  out.put("hash", started ? episode_->hash() : std::uint64_t{0});
}

void ReplayedEnv::load(const StateReader& in) {
  bool started = false;
  std::uint64_t hash = 0;
  in.get("started", started);
  in.get("rng", rng_);
  actions_ = in.get_vector<float>("actions");
  in.get("hash", hash);
  episode_.reset();
  if (!started) return;
  begin_episode();
  for (std::size_t step = 0; step < steps(); ++step) play(step);
  if (episode_->hash() != hash) {
    throw Error(spec_.name +
                ": playing the episode again did not lead to the saved state; was the "
                "checkpoint made with another build of Box2D?");
  }
}

std::optional<rl::Image> ReplayedEnv::render(std::string& why) const {
  if (episode_ != nullptr) return episode_->draw();
  why = spec_.name + " has nothing to draw before its first reset";
  return std::nullopt;
}

std::optional<rl::Image> ReplayedEnv::picture_of(std::span<const std::byte> obs,
                                                 std::string& why) const {
  if (picture_ == nullptr) {
    why = spec_.name + " does not observe enough of its world for a picture";
    return std::nullopt;
  }
  require(obs.size() == spec_.obs.bytes(), "observation buffer of another size");
  std::vector<float> seen(seen_.size());
  std::memcpy(seen.data(), obs.data(), obs.size());
  return picture_(seen);
}

rl::EnvSpec box2d_spec(std::string name, int numbers, int continuous, int actions) {
  rl::EnvSpec spec;
  spec.name = std::move(name);
  spec.title = std::to_string(numbers) + " numbers, " +
               (actions > 0 ? std::to_string(actions) + " actions"
                            : std::to_string(continuous) + " controls");
  spec.obs = {.kind = rl::ObsKind::kFloats, .width = numbers};
  spec.step_seconds = 1 / kStepsPerSecond;
  spec.action.count = actions;
  spec.action.size = continuous;
  std::fill_n(spec.action.low.begin(), continuous, -1.0F);
  std::fill_n(spec.action.high.begin(), continuous, 1.0F);
  return spec;
}

}  // namespace tarl::envs::box2d
