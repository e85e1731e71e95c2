// SPDX-License-Identifier: MIT
#include "tarl/fleet/fleet_run.h"

#include <algorithm>

#include "tarl/core/error.h"
#include "tarl/fleet/device.h"
#include "tarl/train/extend.h"
#include "tarl/train/loop.h"
#include "tarl/train/replay_segments.h"
#include "tarl/train/schedules.h"

namespace tarl::fleet {

namespace {

using train::Phase;

constexpr const char* kNewRun = "a new run";

void require_device(const train::RunConfig& config) {
  const std::string reason = why_not_here(config, device_info());
  if (!reason.empty()) throw Error("no GPU for the fleet: " + reason);
}

std::int64_t next_multiple(std::int64_t from, std::int64_t interval) {
  return (from + interval - 1) / interval * interval;
}

}  // namespace

Tensors fresh_state(const train::RunConfig& config) {
  Team team(1);
  store::RunLogs logs("", {});  // never written to
  const train::Loop loop(config, team, logs);
  Tensors state;
  StateWriter out(state);
  loop.save(out);
  return state;
}

std::unique_ptr<DeviceRun> new_device_run(const train::RunConfig& config) {
  const DeviceProgram& program = program_for(config);
  require_device(config);
  const Tensors state = fresh_state(config);
  return program.make(config,
                      {StateReader(state, kNewRun), [](rl::SegmentedRows&) {}, train::Means{}});
}

std::int64_t slice_end(const train::RunConfig& config, const train::LoopPosition& from,
                       std::int64_t longest) {
  // Within a step, that step has to be completed first.
  const std::int64_t first = from.phase == Phase::kCollect ? from.step + 1 : from.step;
  std::int64_t end = std::min(config.steps, from.step + longest);
  const std::int64_t evaluation = train::step_of_evaluation(config, from.evaluations + 1);
  end = std::min(end, std::max(first, evaluation));
  if (config.checkpoint.every > 0) {
    end = std::min(end, next_multiple(first, config.checkpoint.every));
  }
  return end;
}

FleetRun::FleetRun(const train::RunConfig& config, const fs::path& folder,
                   const std::function<void(const std::string&)>& notice)
    : config_(config),
      program_(program_for(config)),
      folder_(folder, config, notice),
      recorder_(config, folder_.logs()) {
  require_device(config);
  folder_.open();
  const bool unrecorded = train::has_model_alone(folder);
  over_ = unrecorded || train::is_finished(folder, config);
  if (unrecorded) folder_.write_status(store::RunStatus::kFinished, "");
  if (over_) return;
  const auto restored = folder_.restore();
  const Tensors fresh = restored ? Tensors{} : fresh_state(config);
  const StateReader in =
      restored ? restored->reader().group(train::kLoopGroup) : StateReader(fresh, kNewRun);
  position_ = train::LoopPosition::load(in);
  recorder_.load(in);
  if (restored) saved_step_ = position_.step;
  device_ = program_.make(config, {.loop = in,
                                   .load_segments =
                                       [&](rl::SegmentedRows& replay) {
                                         if (restored)
                                           train::load_replay_segments(*restored, replay);
                                       },
                                   .means = recorder_.means()});
  recorder_.begin(position_.step,
                  train::LearnerState::load(in.group(train::kLearnerGroup)).updates);
  folder_.write_status(store::RunStatus::kRunning, "");
}

FleetRun::State FleetRun::poll(bool stop) {
  if (over_) return State::kFinished;
  try {
    return turn(stop);
  } catch (const std::exception& problem) {
    folder_.try_write_status(store::RunStatus::kFailed, problem.what());
    throw;
  }
}

train::Progress FleetRun::progress() const {
  return {.step = over_ ? config_.steps : position_.step,
          .steps = config_.steps,
          .episode_return = recorder_.episode_return(),
          .evaluation = recorder_.last_evaluation(),
          .evaluations = position_.evaluations,
          .alignment = recorder_.alignment(),
          .evaluated = evaluated_};
}

FleetRun::State FleetRun::turn(bool stop) {
  if (under_way_) {
    if (!device_->ended()) return State::kBusy;
    under_way_ = false;
    note_slice();
  }
  const bool between_steps = position_.phase == Phase::kCollect;
  if (between_steps && position_.step >= config_.steps) {
    if (config_.checkpoint.keep && saved_step_ != position_.step) checkpoint();
    folder_.finish(position_.step, device_->parameters());
    return State::kFinished;
  }
  if (stop) {
    checkpoint();
    folder_.write_status(store::RunStatus::kStopped, "");
    return State::kStopped;
  }
  const bool due = config_.checkpoint.every > 0 && between_steps && position_.step > 0 &&
                   position_.step % config_.checkpoint.every == 0;
  if (due && position_.step != saved_step_) checkpoint();
  device_->start(slice_end(config_, position_, kLongestSlice));
  under_way_ = true;
  return State::kAdvanced;
}

void FleetRun::note_slice() {
  SliceReport report = device_->report();
  position_ = report.position;
  for (const EndedEpisode& episode : report.episodes) {
    recorder_.episode(episode.score, episode.length, episode.step);
  }
  recorder_.means() = std::move(report.means);
  evaluated_ = report.evaluation.has_value();
  if (evaluated_) {
    if (recorder_.evaluation(position_.step, *report.evaluation, report.updates)) {
      folder_.save_best(position_.step, device_->parameters(), recorder_.last_evaluation());
    }
  }
  if (!report.nonfinite.empty()) {
    throw NonFiniteError(report.nonfinite + folder_.save_suspects(device_->suspects()));
  }
}

void FleetRun::checkpoint() {
  const std::unique_ptr<RunImage> image = device_->download();
  folder_.checkpoint(
      position_.step,
      [&](StateWriter& out) {
        image->save(out);
        recorder_.save(out);
      },
      train::replay_segments(image->replay()));
  saved_step_ = position_.step;
}

}  // namespace tarl::fleet
