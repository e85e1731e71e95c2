// SPDX-License-Identifier: MIT
#pragma once

#include <atomic>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tarl/fleet/device_run.h"
#include "tarl/fleet/host_lanes.h"
#include "tarl/fleet/hosted/host_engine.h"
#include "tarl/fleet/hosted/remote_agent.h"
#include "tarl/fleet/hosted/slot_frames.h"
#include "tarl/replay/storage.h"

namespace tarl::fleet {

// One run whose environments are stepped by the cores of a HostEngine and whose agent computes
// elsewhere. The order of events, random streams and saved state are those of train::Loop; results
// depend neither on the number of threads nor on timing.
//
// An update runs concurrently with its step wherever that changes nothing: its draws are known
// before the step is played, since uniform draws depend only on the number of transitions. It waits
// for the step if it draws a transition of that step, or if an evaluation, which comes between the
// two, is due. If the agent can act during updates, an update runs concurrently with all steps
// since the previous one, which are played with the parameters before it; except where the target
// is synced in between, or the slice ends with the update's step, so that slices end with nothing
// half done.
//
//     kBetween ─► kActing ─► kStepping ─► kStepped ─► kLearning ─► kBetween
//                              updates      │   ▲       the remaining updates, while the cores
//                              ahead        ▼   │       reset environments
//                                         kJudging ⇄ kPlaying   an evaluation
class HostedRun final : public DeviceRun {
 public:
  // Constructs the agent from saved state, including its copy of the replay. The settings outlive
  // the agent.
  using MakeAgent = std::function<std::unique_ptr<RemoteAgent>(
      const train::RunConfig& config, const rl::EnvSpec& spec, const StateReader& loop,
      const replay::Storage& replay)>;

  // Why a run cannot be run like this, whatever its agent; empty if it can.
  static std::string why_not(const train::RunConfig& config);

  // Requires why_not(config) to be empty.
  HostedRun(std::shared_ptr<HostEngine> engine, const train::RunConfig& config,
            const SavedRun& saved, const MakeAgent& make_agent);
  ~HostedRun() override;

  void start(std::int64_t stop) override;
  bool ended() override;
  SliceReport report() override;
  std::unique_ptr<RunImage> download() override;

  Tensors parameters() override { return agent_->parameters(); }

  rl::Sample suspects() override;

  // Updates that started before their step had ended.
  std::int64_t updates_ahead() const { return updates_ahead_; }

  // For the engine, which holds the lock.
  void arrived(int group, const std::exception_ptr& failure);
  void fail(std::exception_ptr failure);  // of the device, which all runs need
  bool move_on();                         // as far as possible without waiting; whether it advanced

 private:
  enum class Part { kBetween, kActing, kStepping, kStepped, kJudging, kPlaying, kLearning };

  class Image;

  std::function<void(int, std::span<const std::byte>)> told_of_frames();
  void take(int group);
  void fail_with(const GroupFailure& problem);
  bool move();
  bool begin_step();
  void send();
  void plan_updates();
  bool take_update();
  void begin_early();

  bool is_early() const { return learning_ && position_.step < update_step_; }

  bool learn(bool stored);
  void draw(std::int64_t missing);
  bool draws_missing(std::int64_t missing) const;
  void ask_for_update(std::int64_t step);
  void store();
  bool begin_evaluation();
  void ask_for_evaluation();
  void end_evaluation();

  void end_slice() { under_way_.store(false, std::memory_order_release); }

  void save(StateWriter& out) const;

  const std::shared_ptr<HostEngine> engine_;  // outlives what is below
  const train::RunConfig config_;
  const bool counts_steps_;  // target syncs count environment steps (DQN), not updates
  const Rng root_;
  const rl::MakeEnvironment make_environment_;
  std::optional<SlotFrames> frames_;  // if the replay is packed
  std::optional<HostLanes> lanes_;
  std::optional<replay::Storage> replay_;
  std::unique_ptr<RemoteAgent> agent_;
  std::optional<HostEvaluation> evaluation_;

  Part part_ = Part::kBetween;
  train::LoopPosition position_;
  Rng sample_rng_;
  std::int64_t updates_ = 0;

  // Of the current step.
  bool ahead_ = false;     // updates may start before it ends
  bool sync_due_ = false;  // a sync of the target, before the updates
  bool ready_ = true;      // its environments are ready for the next step
  std::int64_t updates_left_ = 0;
  bool learning_ = false;         // an update is running
  std::int64_t update_step_ = 0;  // the step it belongs to
  bool drawn_ = false;            // the slots of the next update are drawn
  std::vector<std::int64_t> slots_;
  std::int64_t updates_ahead_ = 0;

  // Of the slice.
  std::atomic<bool> under_way_{false};
  std::int64_t stop_ = 0;
  train::Means means_;
  std::vector<EndedEpisode> episodes_;
  std::optional<train::EvaluationScores> scores_;
  std::string nonfinite_;
  bool suspects_drawn_ = false;  // found by an update, not by the environment
  std::exception_ptr failure_;
};

}  // namespace tarl::fleet
