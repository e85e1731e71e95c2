// SPDX-License-Identifier: MIT
#include "tarl/fleet/fleet_run.h"

#include <algorithm>

#include "tarl/core/error.h"
#include "tarl/fleet/net_tensors.h"
#include "tarl/fleet/specify.h"
#include "tarl/train/loop.h"
#include "tarl/train/schedules.h"

namespace tarl::fleet {

namespace {

AgentSpec checked_spec(const train::RunConfig& config) {
  const std::string reason = why_not(config);
  if (!reason.empty()) throw UsageError(reason);
  return make_spec(config);
}

// The state of a run that has not begun.
Tensors fresh_state(const train::RunConfig& config, train::RunLogs& logs) {
  Team team(1);
  const train::Loop loop(config, team, logs);
  Tensors state;
  StateWriter out = StateWriter(state).group("loop");
  loop.save(out);
  return state;
}

void require_device() {
  const DeviceInfo device = device_info();
  if (!device.found) throw Error("no GPU for the fleet: CUDA is " + device.text);
}

std::int64_t next_multiple(std::int64_t from, std::int64_t interval) {
  return (from + interval - 1) / interval * interval;
}

}  // namespace

std::vector<std::uint64_t> evaluation_keys(const train::RunConfig& config) {
  const Rng root = seeded(static_cast<std::uint64_t>(config.seed));
  std::vector<std::uint64_t> keys;
  for (std::int64_t k = 0; k < config.eval.count; ++k) {
    const Rng stream = root.fork("eval/" + std::to_string(k));
    for (std::int64_t i = 0; i < config.eval.episodes; ++i) {
      keys.push_back(stream.fork("env/" + std::to_string(i)).key);
      keys.push_back(stream.fork("act/" + std::to_string(i)).key);
    }
  }
  return keys;
}

std::unique_ptr<DeviceAgent> new_device_agent(const train::RunConfig& config, bool record) {
  const AgentSpec spec = checked_spec(config);
  require_device();
  train::RunLogs logs("", {});  // never written to
  const Tensors state = fresh_state(config, logs);
  const AgentImage image = load_image(spec, StateReader(state, "a new run").group("loop"));
  return make_device_agent(spec, image,
                           {.precision = config.fleet.precision,
                            .eval_keys = evaluation_keys(config),
                            .record = record});
}

std::int64_t slice_end(const train::RunConfig& config, const AgentHead& head,
                       std::int64_t longest) {
  // In the middle of a step that step still has to be ended.
  const bool between = head.phase == Phase::kCollect;
  const std::int64_t from = between ? head.step + 1 : head.step;
  std::int64_t end = std::min(config.steps, head.step + longest);
  const std::int64_t evaluation =
      train::step_of_evaluation(head.evaluations + 1, config.steps, config.eval.count);
  end = std::min(end, std::max(from, evaluation));
  if (config.checkpoint.every > 0) {
    end = std::min(end, next_multiple(from, config.checkpoint.every));
  }
  return end;
}

FleetRun::FleetRun(const train::RunConfig& config, const fs::path& folder,
                   const std::function<void(const std::string&)>& notice)
    : config_(config),
      spec_(checked_spec(config)),
      folder_(folder, config, notice),
      journal_(config, folder_.logs()) {
  require_device();
  folder_.open();
  const auto restored = folder_.restore();
  const Tensors fresh = restored ? Tensors{} : fresh_state(config, folder_.logs());
  const StateReader in =
      (restored ? restored->reader() : StateReader(fresh, "a new run")).group("loop");
  AgentImage image = load_image(spec_, in);
  journal_.load(in);
  load_means(journal_.means(), image.head);
  head_ = image.head;
  if (restored) saved_step_ = head_.step;
  device_ = make_device_agent(
      spec_, image, {.precision = config.fleet.precision, .eval_keys = evaluation_keys(config)});
  folder_.write_status(train::RunStatus::kRunning, "");
}

FleetRun::State FleetRun::poll(bool stop) {
  try {
    return turn(stop);
  } catch (const std::exception& problem) {
    folder_.try_write_status(train::RunStatus::kFailed, problem.what());
    throw;
  }
}

FleetRun::State FleetRun::turn(bool stop) {
  if (under_way_) {
    if (!device_->ended()) return State::kBusy;
    under_way_ = false;
    note_slice();
  }
  if (at_end()) {
    finish();
    return State::kFinished;
  }
  if (stop) {
    checkpoint();
    folder_.write_status(train::RunStatus::kStopped, "");
    return State::kStopped;
  }
  const bool due = config_.checkpoint.every > 0 && head_.phase == Phase::kCollect &&
                   head_.step > 0 && head_.step % config_.checkpoint.every == 0;
  if (due && head_.step != saved_step_) checkpoint();
  device_->start(head_, slice_end(config_, head_, kLongestSlice));
  under_way_ = true;
  return State::kAdvanced;
}

bool FleetRun::at_end() const {
  return head_.step >= config_.steps && head_.phase == Phase::kCollect;
}

void FleetRun::note_slice() {
  head_ = device_->head();
  for (const EpisodeEntry& episode : device_->episodes()) {
    journal_.episode(episode.score, episode.length, episode.step);
  }
  if (head_.end == SliceEnd::kEvaluated) note_evaluation();
  if (head_.end == SliceEnd::kNonfinite) throw_nonfinite();
}

void FleetRun::throw_nonfinite() {
  LastUpdate update = device_->last_update();
  const rl::Sample suspects =
      sample_of(spec_, device_->download(), std::move(update.index), std::move(update.weight));
  throw NonFiniteError("update " + std::to_string(head_.updates) + ": " +
                       (head_.bad_rows > 0
                            ? std::to_string(head_.bad_rows) + " of " +
                                  std::to_string(spec_.candidates) +
                                  " sampled transitions have an error that is not finite"
                            : "the loss or the norm of the gradient is not finite") +
                       folder_.save_suspects(suspects));
}

void FleetRun::note_evaluation() {
  train::EvaluationScores scores;
  scores.returns.assign(head_.eval_return, head_.eval_return + spec_.eval_episodes);
  scores.lengths.assign(head_.eval_length, head_.eval_length + spec_.eval_episodes);
  scores.cut = head_.eval_cut;
  store_means(spec_, head_, journal_.means());
  journal_.evaluation(head_.step, scores, head_.updates);
  std::fill(std::begin(head_.sum), std::end(head_.sum), 0.0);
  head_.count = 0;
  head_.skipped = 0;
}

void FleetRun::checkpoint() {
  AgentImage image = device_->download();
  image.head = head_;
  store_means(spec_, head_, journal_.means());
  folder_.checkpoint(head_.step, [&](StateWriter& out) {
    save_image(spec_, image, out);
    journal_.save(out);
  });
  saved_step_ = head_.step;
}

void FleetRun::finish() {
  const AgentImage image = device_->download();
  folder_.finish(head_.step, to_tensors(spec_.net, image.values, "q."));
}

}  // namespace tarl::fleet
