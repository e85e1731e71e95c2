// SPDX-License-Identifier: MIT
//
// The steps of a HostedRun.
#include <algorithm>
#include <cmath>
#include <utility>

#include "tarl/fleet/hosted/hosted_run.h"
#include "tarl/replay/draw.h"
#include "tarl/train/extend.h"
#include "tarl/train/loop.h"
#include "tarl/train/schedules.h"

namespace tarl::fleet {

using train::Phase;

// Does one thing that can be done now; false if there is none.
bool HostedRun::move() {
  if (take_update()) return true;
  switch (part_) {
    case Part::kBetween:
      return begin_step();
    case Part::kActing:
      if (!agent_->acted()) return false;
      send();
      return true;
    case Part::kStepping:
      return ahead_ && learn(false);
    case Part::kStepped:
      if (learning_ && !is_early()) return false;
      if (begin_evaluation()) return true;
      store();
      return true;
    case Part::kJudging:
      if (!agent_->acted()) return false;
      evaluation_->send();
      part_ = Part::kPlaying;
      return true;
    case Part::kPlaying:
      return false;
    case Part::kLearning:
      if (learn(true)) return true;
      if ((learning_ && !is_early()) || !ready_) return false;
      position_.phase = Phase::kCollect;
      part_ = Part::kBetween;
      return true;
  }
  return false;
}

bool HostedRun::begin_step() {
  if (position_.step >= stop_) {
    end_slice();
    return false;
  }
  begin_early();
  train::EnvSlots& slots = lanes_->slots();
  if (train::choose_random_actions(config_, position_.step, slots)) {
    send();
    return true;
  }
  agent_->act({slots.obs(), slots.size(), slots.explore(), slots.actions()},
              train::exploring(config_, position_.step));
  part_ = Part::kActing;
  return true;
}

void HostedRun::send() {
  lanes_->send();
  position_.step = lanes_->step();
  part_ = Part::kStepping;
  plan_updates();
}

void HostedRun::plan_updates() {
  const std::int64_t step = position_.step, before = step - config_.n_envs;
  ahead_ = train::evaluations_due(config_, step) <= position_.evaluations;
  sync_due_ =
      counts_steps_ && train::multiples_passed(before, step, config_.target_update_interval) > 0;
  updates_left_ =
      step <= config_.learning_starts
          ? 0
          : train::multiples_passed(before, step, config_.train_freq) * config_.gradient_steps;
}

bool HostedRun::take_update() {
  if (!learning_ || is_early()) return false;
  suspects_drawn_ = true;
  learning_ = !agent_->updated(means_);
  suspects_drawn_ = false;
  if (learning_) return false;
  ++updates_;
  --updates_left_;
  return true;
}

// Starts the first update of a later step, between steps, if that is allowed.
void HostedRun::begin_early() {
  if (learning_ || !agent_->acts_beside_updates()) return;
  const std::int64_t step = position_.step, lanes = config_.n_envs;
  const std::int64_t next = (step / config_.train_freq + 1) * config_.train_freq;
  const std::int64_t missing = (next - step + lanes - 1) / lanes * lanes, due = step + missing;
  if (due <= config_.learning_starts || due >= stop_) return;
  if (counts_steps_ && train::multiples_passed(step, due, config_.target_update_interval) > 0) {
    return;
  }
  if (!drawn_) draw(missing);
  if (!draws_missing(missing)) ask_for_update(due);
}

// Starts the next update of this step, if that is allowed.
bool HostedRun::learn(bool stored) {
  if (learning_) return false;
  if (std::exchange(sync_due_, false)) agent_->sync_target();
  if (updates_left_ == 0) return false;
  const std::int64_t missing = stored ? 0 : config_.n_envs;
  if (!drawn_) draw(missing);
  if (!stored && draws_missing(missing)) return false;
  ask_for_update(position_.step);
  return true;
}

void HostedRun::ask_for_update(std::int64_t step) {
  agent_->update(slots_, static_cast<double>(step) /
                             static_cast<double>(train::steps_in_force(config_, step)));
  drawn_ = false;
  learning_ = true;
  update_step_ = step;
  if (part_ != Part::kLearning) ++updates_ahead_;
}

// Draws from the transitions that there will be once `missing` more are stored.
void HostedRun::draw(std::int64_t missing) {
  const std::int64_t count = replay_->count() + missing;
  replay::draw_slots(std::min(count, replay_->capacity()), sample_rng_, slots_);
  drawn_ = true;
}

// Whether a drawn transition is not stored yet, or may, with n_steps above 1, extend into one that
// is not.
bool HostedRun::draws_missing(std::int64_t missing) const {
  const std::int64_t count = replay_->count() + missing, capacity = replay_->capacity();
  const std::int64_t newest = std::min(count, missing + config_.n_envs * (config_.n_steps - 1));
  return std::ranges::any_of(
      slots_, [&](std::int64_t slot) { return (count - 1 - slot) % capacity < newest; });
}

void HostedRun::store() {
  train::EnvSlots& slots = lanes_->slots();
  for (int slot = 0; slot < slots.size(); ++slot) {
    const rl::Transition transition = slots.transition(slot);
    const auto packed = frames_ ? frames_->before(slot) : std::span<const std::byte>{};
    agent_->store(replay_->add(transition, packed), transition);
  }
  ready_ = lanes_->end_step([&](const train::FinishedEpisode& episode) {
    episodes_.push_back({episode.score, episode.length, position_.step});
  });
  part_ = Part::kLearning;
}

bool HostedRun::begin_evaluation() {
  if (train::evaluations_due(config_, position_.step) <= position_.evaluations) {
    return false;
  }
  position_.phase = Phase::kEvaluate;
  evaluation_.emplace(engine_->pool(), config_.env + ", evaluation", make_environment_,
                      static_cast<int>(config_.eval.episodes),
                      root_.fork("eval/" + std::to_string(position_.evaluations)));
  engine_->route(evaluation_->id(), this);
  ask_for_evaluation();
  return true;
}

void HostedRun::ask_for_evaluation() {
  agent_->act(evaluation_->wanted_actions(), {.explore = false, .epsilon = config_.eval.epsilon});
  part_ = Part::kJudging;
}

// Ends a step of the evaluation, and after the last one the evaluation itself.
void HostedRun::end_evaluation() {
  evaluation_->end_step();
  if (!evaluation_->over()) {
    ask_for_evaluation();
    return;
  }
  scores_ = evaluation_->scores();
  engine_->route(evaluation_->id(), nullptr);
  evaluation_.reset();
  part_ = Part::kStepped;
  if (config_.on_nan != train::OnNan::kSkip &&
      !std::ranges::all_of(scores_->returns, [](double value) { return std::isfinite(value); })) {
    scores_.reset();
    nonfinite_ = "step " + std::to_string(position_.step) + ": an evaluation on " + config_.env +
                 " has a return that is not finite";
  } else {
    position_.evaluations = train::evaluations_due(config_, position_.step);
    position_.phase = Phase::kLearn;
  }
  end_slice();
}

}  // namespace tarl::fleet
