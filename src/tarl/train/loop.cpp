// SPDX-License-Identifier: MIT
#include "tarl/train/loop.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "tarl/core/error.h"
#include "tarl/envs/registry.h"
#include "tarl/rl/random_action.h"
#include "tarl/train/extend.h"
#include "tarl/train/make_agent.h"
#include "tarl/train/schedules.h"
#include "tarl/train/trace.h"

namespace tarl::train {

namespace {

constexpr std::int64_t kProgressInterval = 128;  // steps between calls of the progress hook

std::unique_ptr<rl::Replay> make_run_replay(const RunConfig& config, const rl::EnvSpec& spec,
                                            Team& team) {
  return replay::make_replay(config.replay_in_use(), spec.obs, spec.action, config.buffer_size,
                             static_cast<int>(config.n_envs), static_cast<int>(config.n_steps),
                             config.gamma, &team);
}

EnvSlots make_slots(const RunConfig& config, const rl::MakeEnvironment& make, const Rng& root) {
  const auto streams = training_streams(root, static_cast<int>(config.n_envs));
  const rl::MakePool& make_pool = config.environment().make_pool;
  return make_pool ? EnvSlots(make_pool, streams) : EnvSlots(make, streams);
}

void refuse_checkpoints(const RunConfig& config, const rl::EnvSpec& spec) {
  if (spec.resumable || config.checkpoint.every == 0) return;
  throw UsageError(spec.name +
                   " cannot save its state, so its runs have no checkpoints and cannot be resumed; "
                   "train in one go with checkpoint.every = 0");
}

}  // namespace

rl::MakeEnvironment environments_of(const RunConfig& config) {
  const envs::Entry& entry = config.environment();
  return [&entry, own = config.own_env, settings = config.env_config](Rng rng) {
    return entry.make(settings, rng);
  };
}

double epsilon_after(const RunConfig& config, std::int64_t step) {
  return exploration_rate(step, steps_in_force(config, step + 1), config.exploration_initial_eps,
                          config.exploration_final_eps, config.exploration_fraction);
}

bool choose_random_actions(const RunConfig& config, std::int64_t step, EnvSlots& slots) {
  if (step >= config.learning_starts) return false;
  for (int slot = 0; slot < slots.size(); ++slot) {
    const EnvSlotState state = slots.state(slot);
    state.action = rl::random_action(slots.spec().action, state.explore);
  }
  return true;
}

rl::ActMode exploring(const RunConfig& config, std::int64_t step) {
  return {.explore = true, .epsilon = epsilon_after(config, step)};
}

void choose_actions(const RunConfig& config, std::int64_t step, rl::Agent& agent, EnvSlots& slots) {
  if (choose_random_actions(config, step, slots)) return;
  agent.act(slots.obs(), slots.size(), exploring(config, step), slots.explore(), slots.actions());
}

Loop::Loop(const RunConfig& config, Team& team, store::RunLogs& logs)
    : config_(config),
      counts_steps_(config.algorithm().agent().syncs_by_steps),
      team_(team),
      logs_(logs),
      recorder_(config, logs),
      root_(seeded(static_cast<std::uint64_t>(config.seed))),
      make_environment_(environments_of(config)),
      slots_(make_slots(config, make_environment_, root_)) {
  const rl::EnvSpec& spec = slots_.spec();
  refuse_checkpoints(config, spec);
  refuse_long_trace(config);
  agent_ = make_agent(config, spec, root_, team);
  replay_ = make_run_replay(config, spec, team);
  learner_ = std::make_unique<Learner>(config, *agent_, *replay_, spec, root_);
  step_rewards_.resize(static_cast<std::size_t>(slots_.size()));
  step_over_ = std::make_unique<bool[]>(step_rewards_.size());
  agent_->observe(slots_.obs(), {}, {});
}

Loop::~Loop() = default;

LoopResult Loop::run(const LoopHooks& hooks) {
  recorder_.begin(step_, learner_->updates());
  leave_lost_episodes();
  const auto stop = [&] { return hooks.stop && hooks.stop(); };
  while (step_ < config_.steps || phase_ != Phase::kCollect) {
    const std::int64_t evaluations_before = evaluations_;
    if (phase_ == Phase::kCollect) {
      collect();
      phase_ = Phase::kEvaluate;
    }
    if (phase_ == Phase::kEvaluate) {
      if (!evaluate(hooks)) return LoopResult::kStopped;
      phase_ = Phase::kLearn;
    }
    store();
    sync_and_learn();
    log_interval();
    phase_ = Phase::kCollect;

    const bool evaluated = evaluations_ != evaluations_before;
    if (hooks.progress && (evaluated || step_ % kProgressInterval < config_.n_envs)) {
      hooks.progress(progress(evaluated));
    }
    if (hooks.stored) hooks.stored();
    if (stop()) return step_ < config_.steps ? LoopResult::kStopped : LoopResult::kFinished;
    const std::int64_t before = step_ - config_.n_envs;
    if (config_.checkpoint.every > 0 && hooks.checkpoint && step_ < config_.steps &&
        multiples_passed(before, step_, config_.checkpoint.every) > 0) {
      hooks.checkpoint();
    }
  }
  return LoopResult::kFinished;
}

// Only after the whole replay is restored.
void Loop::leave_lost_episodes() {
  const bool in_step = phase_ != Phase::kCollect;
  for (const int slot : lost_) {
    if (!in_step) replay_->truncate(slot);
    slots_.abandon(slot, in_step);
  }
  lost_.clear();
}

void Loop::collect() {
  choose_actions(config_, step_, *agent_, slots_);
  slots_.step(team_);
  step_ += slots_.size();
  // A run with on_nan = skip skips the updates that would learn from a NaN or Inf.
  if (config_.on_nan == OnNan::kSkip) return;
  for (int slot = 0; slot < slots_.size(); ++slot) {
    slots_.refuse_nonfinite(slot, config_.env, step_);
  }
}

rl::Sample Loop::suspects() const {
  if (phase_ == Phase::kLearn) return learner_->last_sample();
  return slots_.transitions(config_.gamma);
}

bool Loop::evaluate(const LoopHooks& hooks) {
  if (evaluations_due(config_, step_) <= evaluations_) return true;
  const auto scores = evaluate_policy({.make = make_environment_,
                                       .agent = *agent_,
                                       .episodes = static_cast<int>(config_.eval.episodes),
                                       .epsilon = config_.eval.epsilon,
                                       .stream = root_.fork("eval/" + std::to_string(evaluations_)),
                                       .stop = hooks.stop});
  if (!scores) return false;
  const auto finite = [](double value) { return std::isfinite(value); };
  if (config_.on_nan != OnNan::kSkip &&
      !std::all_of(scores->returns.begin(), scores->returns.end(), finite)) {
    throw NonFiniteError("step " + std::to_string(step_) + ": an evaluation on " + config_.env +
                         " has a return that is not finite");
  }
  evaluations_ = evaluations_due(config_, step_);
  const bool best = recorder_.evaluation(step_, *scores, learner_->updates());
  if (best && hooks.best) hooks.best(recorder_.last_evaluation());
  return true;
}

void Loop::store() {
  for (int slot = 0; slot < slots_.size(); ++slot) replay_->add(slots_.transition(slot));
  const auto done = slots_.end_step([&](const FinishedEpisode& episode) {
    recorder_.episode(episode.score, episode.length, step_);
  });
  slots_.reset(done);
  const auto slots = static_cast<std::size_t>(slots_.size());
  for (std::size_t slot = 0; slot < slots; ++slot) {
    const rl::StepResult& result = slots_.state(static_cast<int>(slot)).result;
    step_rewards_[slot] = result.reward;
    step_over_[slot] = result.done();
  }
  agent_->observe(slots_.obs(), step_rewards_, std::span(step_over_.get(), slots));
}

void Loop::sync_and_learn() {
  const std::int64_t before = step_ - config_.n_envs;
  if (counts_steps_ && multiples_passed(before, step_, config_.target_update_interval) > 0) {
    learner_->sync_target(config_.tau);
  }
  if (step_ <= config_.learning_starts) return;
  const std::int64_t updates =
      multiples_passed(before, step_, config_.train_freq) * config_.gradient_steps;
  const double progress =
      static_cast<double>(step_) / static_cast<double>(steps_in_force(config_, step_));
  for (std::int64_t i = 0; i < updates; ++i) {
    learner_->step(progress, recorder_.means());
    if (learner_->is_traced()) {
      logs_.trace(traced_update(*learner_, step_, replay_->capacity()));
    }
    if (!counts_steps_ && learner_->updates() % config_.target_update_interval == 0) {
      learner_->sync_target(config_.tau);
    }
  }
}

// An evaluation has already logged the row of its step.
void Loop::log_interval() {
  if (config_.log.every == 0) return;
  const std::int64_t before = step_ - config_.n_envs;
  if (multiples_passed(before, step_, config_.log.every) == 0) return;
  const auto due = [&](std::int64_t step) { return evaluations_due(config_, step); };
  if (due(step_) == due(before)) recorder_.interval(step_, learner_->updates());
}

Progress Loop::progress(bool evaluated) const {
  return {.step = step_,
          .steps = config_.steps,
          .episode_return = recorder_.episode_return(),
          .evaluation = recorder_.last_evaluation(),
          .evaluations = evaluations_,
          .alignment = recorder_.alignment(),
          .evaluated = evaluated};
}

}  // namespace tarl::train
