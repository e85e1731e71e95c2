// SPDX-License-Identifier: MIT
#include "tarl/train/loop.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <string>

#include "tarl/core/error.h"
#include "tarl/envs/registry.h"
#include "tarl/rl/random_action.h"
#include "tarl/train/make_agent.h"
#include "tarl/train/nonfinite.h"
#include "tarl/train/schedules.h"

namespace tarl::train {

namespace {

constexpr std::int64_t kProgressInterval = 128;  // steps between calls of the progress hook

std::unique_ptr<rl::Replay> make_run_replay(const RunConfig& config, const rl::EnvSpec& spec,
                                            Team& team) {
  replay::ReplayConfig settings = config.replay;
  if (config.align.mode == align::Mode::kPrioritize) {
    settings.kind = replay::Kind::kAlignment;
    settings.kappa = config.align.kappa;
  }
  return replay::make_replay(settings, spec.obs, spec.action, config.buffer_size,
                             static_cast<int>(config.n_envs), static_cast<int>(config.n_steps),
                             config.gamma, &team);
}

void refuse_checkpoints(const RunConfig& config, const rl::EnvSpec& spec) {
  if (spec.resumable || config.checkpoint.every == 0) return;
  throw UsageError(spec.name +
                   " cannot save its state, so its runs have no checkpoints and cannot be resumed; "
                   "train in one go with --set checkpoint.every=0");
}

}  // namespace

Loop::Loop(const RunConfig& config, Team& team, RunLogs& logs)
    : config_(config),
      counts_steps_(config.algorithm().is_dqn()),
      team_(team),
      journal_(config, logs),
      root_(seeded(static_cast<std::uint64_t>(config.seed))) {
  const envs::Entry& entry = envs::registry().find(config.env);
  make_environment_ = [&entry, settings = config.env_config](Rng rng) {
    return entry.make(settings, rng);
  };
  lanes_.resize(static_cast<std::size_t>(config.n_envs));
  for (std::size_t i = 0; i < lanes_.size(); ++i) {
    Lane& lane = lanes_[i];
    lane.env = make_environment_(root_.fork("env/" + std::to_string(i)));
    lane.explore = root_.fork("explore/" + std::to_string(i));
    lane.obs.resize(lane.env->spec().obs.bytes());
    lane.next_obs.resize(lane.obs.size());
  }
  const rl::EnvSpec& spec = lanes_.front().env->spec();
  refuse_checkpoints(config, spec);
  agent_ = make_agent(config, spec, root_, team);
  replay_ = make_run_replay(config, spec, team);
  learner_ = std::make_unique<Learner>(config, *agent_, *replay_, spec, root_);
  act_obs_.resize(spec.obs.bytes() * lanes_.size());
  act_streams_.resize(lanes_.size());
  act_actions_.resize(lanes_.size());
  for (Lane& lane : lanes_) lane.env->reset(lane.obs);
}

Loop::~Loop() = default;

LoopResult Loop::run(const LoopHooks& hooks) {
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

void Loop::collect() {
  choose_actions();
  // Each lane has its own environment and stream, so any thread may step it.
  team_.run([&](int rank) {
    const Range mine = share(static_cast<int>(lanes_.size()), rank, team_.size());
    for (int i = mine.begin; i < mine.end; ++i) {
      Lane& lane = lanes_[static_cast<std::size_t>(i)];
      lane.result = lane.env->step(lane.action, lane.next_obs);
    }
  });
  step_ += static_cast<std::int64_t>(lanes_.size());
  if (config_.on_nan != OnNan::kSkip) refuse_nonfinite();
}

// Before a value that is not finite reaches the replay, and with it the next checkpoint. A run that
// skips leaves out the updates that would learn from it.
void Loop::refuse_nonfinite() const {
  for (std::size_t i = 0; i < lanes_.size(); ++i) {
    const Lane& lane = lanes_[i];
    const char* part = nonfinite_part(lane.env->spec().obs, lane.next_obs, lane.result);
    if (part == nullptr) continue;
    throw NonFiniteError("step " + std::to_string(step_) + ": " + config_.env + " gave " + part +
                         " that is not finite (environment " + std::to_string(i) + ")");
  }
}

rl::Sample Loop::suspects() const {
  if (phase_ == Phase::kLearn) return learner_->last_sample();
  const rl::EnvSpec& spec = lanes_.front().env->spec();
  rl::Sample sample;
  sample.batch = rl::Batch(spec.obs, spec.action, static_cast<int>(lanes_.size()));
  sample.batch.rows = static_cast<int>(lanes_.size());
  for (std::size_t i = 0; i < lanes_.size(); ++i) {
    const Lane& lane = lanes_[i];
    sample.index.push_back(static_cast<std::int64_t>(i));
    sample.weight.push_back(1);
    std::memcpy(sample.batch.obs.data() + i * lane.obs.size(), lane.obs.data(), lane.obs.size());
    std::memcpy(sample.batch.next_obs.data() + i * lane.obs.size(), lane.next_obs.data(),
                lane.obs.size());
    sample.batch.reward[i] = lane.result.reward;
    sample.batch.discount[i] = lane.result.terminated ? 0 : static_cast<float>(config_.gamma);
    if (spec.action.discrete()) {
      sample.batch.action_index[i] = lane.action.index;
    } else {
      const auto size = static_cast<std::size_t>(spec.action.size);
      std::copy_n(lane.action.values.begin(), size, sample.batch.action.begin() + i * size);
    }
  }
  return sample;
}

void Loop::choose_actions() {
  const rl::EnvSpec& spec = lanes_.front().env->spec();
  if (step_ < config_.learning_starts) {
    for (Lane& lane : lanes_) lane.action = rl::random_action(spec.action, lane.explore);
    return;
  }
  const std::size_t bytes = spec.obs.bytes();
  for (std::size_t i = 0; i < lanes_.size(); ++i) {
    std::memcpy(act_obs_.data() + i * bytes, lanes_[i].obs.data(), bytes);
    act_streams_[i] = lanes_[i].explore;
  }
  const double epsilon =
      exploration_rate(step_, config_.steps, config_.exploration_initial_eps,
                       config_.exploration_final_eps, config_.exploration_fraction);
  agent_->act(act_obs_, static_cast<int>(lanes_.size()), {.explore = true, .epsilon = epsilon},
              act_streams_, act_actions_);
  for (std::size_t i = 0; i < lanes_.size(); ++i) {
    lanes_[i].explore = act_streams_[i];
    lanes_[i].action = act_actions_[i];
  }
}

bool Loop::evaluate(const LoopHooks& hooks) {
  if (evaluations_due(step_, config_.steps, config_.eval.count) <= evaluations_) return true;
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
  evaluations_ = evaluations_due(step_, config_.steps, config_.eval.count);
  journal_.evaluation(step_, *scores, learner_->updates());
  return true;
}

void Loop::store() {
  for (std::size_t i = 0; i < lanes_.size(); ++i) {
    Lane& lane = lanes_[i];
    const rl::StepResult& result = lane.result;
    replay_->add({.lane = static_cast<int>(i),
                  .obs = lane.obs,
                  .action = lane.action,
                  .reward = result.reward,
                  .terminated = result.terminated,
                  .truncated = result.truncated,
                  .next_obs = lane.next_obs});
    lane.episode_score += result.score;
    ++lane.episode_length;
    if (result.score_episode_over) {
      journal_.episode(lane.episode_score, lane.episode_length, step_);
      lane.episode_score = 0;
      lane.episode_length = 0;
    }
    if (result.done()) {
      lane.env->reset(lane.obs);
    } else {
      lane.obs.swap(lane.next_obs);
    }
  }
}

void Loop::sync_and_learn() {
  const std::int64_t before = step_ - config_.n_envs;
  if (counts_steps_ && multiples_passed(before, step_, config_.target_update_interval) > 0) {
    learner_->sync_target(config_.tau);
  }
  if (step_ <= config_.learning_starts) return;
  const std::int64_t updates =
      multiples_passed(before, step_, config_.train_freq) * config_.gradient_steps;
  const double progress = static_cast<double>(step_) / static_cast<double>(config_.steps);
  for (std::int64_t i = 0; i < updates; ++i) {
    learner_->step(progress, journal_.means());
    if (!counts_steps_ && learner_->updates() % config_.target_update_interval == 0) {
      learner_->sync_target(config_.tau);
    }
  }
}

Progress Loop::progress(bool evaluated) const {
  return {.step = step_,
          .steps = config_.steps,
          .episode_return = journal_.episode_return(),
          .evaluation = journal_.last_evaluation(),
          .evaluations = evaluations_,
          .alignment = journal_.alignment(),
          .evaluated = evaluated};
}

}  // namespace tarl::train
