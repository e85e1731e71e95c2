// SPDX-License-Identifier: MIT
#include "tarl/fleet/hosted/hosted_run.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "tarl/core/error.h"
#include "tarl/replay/draw.h"
#include "tarl/train/extend.h"
#include "tarl/train/loop.h"
#include "tarl/train/schedules.h"

namespace tarl::fleet {

using train::Phase;

class HostedRun::Image final : public RunImage {
 public:
  explicit Image(const HostedRun& run) : run_(run) {}

  void save(StateWriter& out) const override { run_.save(out); }

  const rl::SegmentedRows& replay() const override { return *run_.replay_; }

 private:
  const HostedRun& run_;  // stands still between slices
};

std::string HostedRun::why_not(const train::RunConfig& config) {
  if (config.environment().make_pool) return "environments that are stepped together";
  if (config.replay.kind != replay::Kind::kUniform) {
    return "replay.kind = " + std::string(replay::name_of(config.replay.kind));
  }
  if (config.align.mode == align::Mode::kPrioritize) return "align.mode = prioritize";
  if (config.normalize.any()) return "normalize.obs or normalize.reward";
  if (config.log.every != 0) return "log.every (rows come with evaluations)";
  if (config.eval.count == 0) return "eval.count = 0";
  return "";
}

HostedRun::HostedRun(std::shared_ptr<HostEngine> engine, const train::RunConfig& config,
                     const SavedRun& saved, const MakeAgent& make_agent)
    : engine_(std::move(engine)),
      config_(config),
      counts_steps_(config_.algorithm().agent().syncs_by_steps),
      root_(seeded(static_cast<std::uint64_t>(config_.seed))),
      make_environment_(train::environments_of(config_)),
      position_(train::LoopPosition::load(saved.loop)),
      slots_(static_cast<std::size_t>(config_.batch_size + config_.oversampling())),
      means_(saved.means) {
  const auto lock = engine_->lock();
  lanes_.emplace(engine_->pool(),
                 HostLanes::Request{.name = config_.env + ", seed " + std::to_string(config_.seed),
                                    .env = config_.env,
                                    .make = make_environment_,
                                    .root = root_,
                                    .n_envs = static_cast<int>(config_.n_envs),
                                    .step = position_.step,
                                    .refuse_nonfinite = config_.on_nan != train::OnNan::kSkip});
  lanes_->load(saved.loop, position_.phase != Phase::kCollect);
  const rl::EnvSpec& spec = lanes_->slots().spec();
  replay_.emplace(spec.obs, spec.action, config_.buffer_size, static_cast<int>(config_.n_envs));
  replay_->load(saved.loop.group(train::kReplayGroup).group(replay::kStorageGroup));
  saved.load_segments(*replay_);
  const auto learner = train::LearnerState::load(saved.loop.group(train::kLearnerGroup));
  sample_rng_ = learner.sample_rng;
  updates_ = learner.updates;
  agent_ = make_agent(config_, spec, saved.loop, *replay_);
  if (position_.phase != Phase::kCollect) {
    part_ = Part::kStepped;
    plan_updates();
    ahead_ = false;
  }
  engine_->route(lanes_->id(), this);
  engine_->add(*this);
}

HostedRun::~HostedRun() {
  const auto lock = engine_->lock();
  engine_->remove(*this);
  engine_->route(lanes_->id(), nullptr);
  if (evaluation_) engine_->route(evaluation_->id(), nullptr);
  agent_.reset();
  evaluation_.reset();
  lanes_.reset();
}

void HostedRun::start(std::int64_t stop) {
  const auto lock = engine_->lock();
  stop_ = stop;
  under_way_.store(true, std::memory_order_release);
}

bool HostedRun::ended() {
  if (under_way_.load(std::memory_order_acquire)) engine_->turn();
  if (under_way_.load(std::memory_order_acquire)) return false;
  if (failure_) std::rethrow_exception(failure_);
  return true;
}

SliceReport HostedRun::report() {
  SliceReport report;
  report.position = position_;
  report.updates = updates_;
  report.means = means_;
  report.episodes = std::exchange(episodes_, {});
  report.evaluation = std::exchange(scores_, std::nullopt);
  report.nonfinite = nonfinite_;
  if (report.evaluation) means_ = {};
  return report;
}

std::unique_ptr<RunImage> HostedRun::download() {
  return std::make_unique<Image>(*this);
}

void HostedRun::save(StateWriter& out) const {
  position_.save(out);
  lanes_->save(out);
  train::LearnerState learner = agent_->learner();
  learner.sample_rng = sample_rng_;
  StateWriter learner_group = out.group(train::kLearnerGroup);
  learner.save(learner_group);
  StateWriter agent = out.group(train::kAgentGroup);
  agent_->save(agent);
  StateWriter storage = out.group(train::kReplayGroup).group(replay::kStorageGroup);
  replay_->save(storage);
}

rl::Sample HostedRun::suspects() {
  if (!suspects_drawn_) return lanes_->slots().transitions(config_.gamma);
  const rl::EnvSpec& spec = lanes_->slots().spec();
  rl::Sample sample;
  sample.index = slots_;
  sample.weight.assign(slots_.size(), 1.0F);
  sample.batch = rl::Batch(spec.obs, spec.action, static_cast<int>(slots_.size()));
  replay_->gather(slots_, static_cast<int>(config_.n_steps), config_.gamma, sample.batch);
  return sample;
}

void HostedRun::arrived(int group, const std::exception_ptr& failure) {
  if (!under_way_.load(std::memory_order_relaxed)) return;  // it has failed
  if (failure) {
    try {
      std::rethrow_exception(failure);
    } catch (const GroupFailure& problem) {
      try {
        std::rethrow_exception(problem.cause());
      } catch (const NonFiniteError& value) {
        nonfinite_ = value.what();
      } catch (...) {
        failure_ = failure;
      }
    }
    end_slice();
  } else if (group != lanes_->id()) {
    end_evaluation();
  } else if (part_ == Part::kStepping) {
    part_ = Part::kStepped;
  } else {
    ready_ = true;
  }
}

void HostedRun::fail(std::exception_ptr failure) {
  if (!under_way_.load(std::memory_order_relaxed)) return;
  failure_ = std::move(failure);
  end_slice();
}

bool HostedRun::move_on() {
  bool moved = false;
  try {
    while (under_way_.load(std::memory_order_relaxed) && move()) moved = true;
  } catch (const NonFiniteError& problem) {
    nonfinite_ = problem.what();
    end_slice();
  } catch (...) {
    fail(std::current_exception());
  }
  return moved;
}

// One thing that can be done now; false where there is none.
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
      if (learning_) return false;
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
      if (learning_ || !ready_) return false;
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
  ahead_ = train::evaluations_due(step, config_.steps, config_.eval.count) <= position_.evaluations;
  sync_due_ =
      counts_steps_ && train::multiples_passed(before, step, config_.target_update_interval) > 0;
  updates_left_ =
      step <= config_.learning_starts
          ? 0
          : train::multiples_passed(before, step, config_.train_freq) * config_.gradient_steps;
}

bool HostedRun::take_update() {
  if (!learning_) return false;
  suspects_drawn_ = true;
  learning_ = !agent_->updated(means_);
  suspects_drawn_ = false;
  if (learning_) return false;
  ++updates_;
  --updates_left_;
  return true;
}

// Begins the next update, if it may.
bool HostedRun::learn(bool stored) {
  if (learning_) return false;
  if (std::exchange(sync_due_, false)) agent_->sync_target();
  if (updates_left_ == 0) return false;
  if (!drawn_) draw(stored);
  if (!stored && draws_newest_) return false;
  agent_->update(slots_, static_cast<double>(position_.step) /
                             static_cast<double>(train::steps_in_force(config_, position_.step)));
  drawn_ = false;
  learning_ = true;
  if (!stored) ++updates_ahead_;
  return true;
}

// From the transitions that there are once the step is stored. What looks ahead by several steps is
// made of the step, too, where it ends at the newest.
void HostedRun::draw(bool stored) {
  const std::int64_t lanes = config_.n_envs, capacity = replay_->capacity();
  const std::int64_t count = replay_->count() + (stored ? 0 : lanes);
  replay::draw_slots(std::min(count, capacity), sample_rng_, slots_);
  const std::int64_t newest = std::min(count, lanes * config_.n_steps);
  draws_newest_ = std::ranges::any_of(
      slots_, [&](std::int64_t slot) { return (count - 1 - slot) % capacity < newest; });
  drawn_ = true;
}

void HostedRun::store() {
  train::EnvSlots& slots = lanes_->slots();
  for (int slot = 0; slot < slots.size(); ++slot) {
    const rl::Transition transition = slots.transition(slot);
    agent_->store(replay_->add(transition), transition);
  }
  ready_ = lanes_->end_step([&](const train::FinishedEpisode& episode) {
    episodes_.push_back({episode.score, episode.length, position_.step});
  });
  part_ = Part::kLearning;
}

bool HostedRun::begin_evaluation() {
  if (train::evaluations_due(position_.step, config_.steps, config_.eval.count) <=
      position_.evaluations) {
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

// Of a step of it, and of the slice with the last one.
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
    position_.evaluations =
        train::evaluations_due(position_.step, config_.steps, config_.eval.count);
    position_.phase = Phase::kLearn;
  }
  end_slice();
}

}  // namespace tarl::fleet
