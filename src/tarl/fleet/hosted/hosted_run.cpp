// SPDX-License-Identifier: MIT
#include "tarl/fleet/hosted/hosted_run.h"

#include <utility>

#include "tarl/core/error.h"
#include "tarl/replay/config.h"
#include "tarl/train/loop.h"

namespace tarl::fleet {

using train::Phase;

class HostedRun::Image final : public RunImage {
 public:
  explicit Image(const HostedRun& run) : run_(run) {}

  void save(StateWriter& out) const override { run_.save(out); }

  const rl::SegmentedRows& replay() const override { return *run_.replay_; }

 private:
  const HostedRun& run_;  // does not change between slices
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
  const rl::ObsSpec obs = config_.environment().describe().obs;
  if (config_.replay.compress && obs.kind == rl::ObsKind::kBytes) {
    frames_.emplace(obs, static_cast<int>(config_.n_envs));
  }
  lanes_.emplace(engine_->pool(),
                 HostLanes::Request{.name = config_.env + ", seed " + std::to_string(config_.seed),
                                    .env = config_.env,
                                    .make = make_environment_,
                                    .root = root_,
                                    .n_envs = static_cast<int>(config_.n_envs),
                                    .step = position_.step,
                                    .refuse_nonfinite = config_.on_nan != train::OnNan::kSkip,
                                    .arrived = told_of_frames()});
  lanes_->load(saved.loop, position_.phase != Phase::kCollect);
  const rl::EnvSpec& spec = lanes_->slots().spec();
  replay_.emplace(replay::make_storage(config_.replay, spec.obs, spec.action, config_.buffer_size,
                                       static_cast<int>(config_.n_envs)));
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

std::function<void(int, std::span<const std::byte>)> HostedRun::told_of_frames() {
  if (!frames_) return {};
  return [this](int slot, std::span<const std::byte> obs) { frames_->arrived(slot, obs); };
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
  try {
    if (failure) std::rethrow_exception(failure);
    take(group);
  } catch (const GroupFailure& problem) {
    fail_with(problem);
  } catch (...) {
    fail(std::current_exception());
  }
}

void HostedRun::take(int group) {
  if (group != lanes_->id()) {
    end_evaluation();
  } else if (part_ == Part::kStepping) {
    part_ = Part::kStepped;
  } else {
    ready_ = true;
  }
}

void HostedRun::fail_with(const GroupFailure& problem) {
  try {
    std::rethrow_exception(problem.cause());
  } catch (const NonFiniteError& value) {
    nonfinite_ = value.what();
    end_slice();
  } catch (...) {
    fail(std::make_exception_ptr(problem));
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

}  // namespace tarl::fleet
