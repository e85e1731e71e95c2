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
// elsewhere. Order of events, random streams and saved state are train::Loop's; results depend
// neither on threads nor on when answers come.
//
// An update is under way beside its step wherever that changes nothing: what it draws is known
// before the step is played, since uniform draws depend on the number of transitions alone. Where
// it draws a transition of that step, it waits for it; and so it does where an evaluation is due,
// which comes between the two. With an agent that acts beside updates, it is under way beside all
// steps since the update before it, which are played with the parameters as they were; unless the
// target is synced on the way, or the slice ends with its step, so that nothing is half done then.
//
//     kBetween ─► kActing ─► kStepping ─► kStepped ─► kLearning ─► kBetween
//                              updates      │   ▲       the updates that are left, while the cores
//                              ahead        ▼   │       reset environments
//                                         kJudging ⇄ kPlaying   an evaluation
class HostedRun final : public DeviceRun {
 public:
  // The agent that begins from what was saved, its copy of the replay included.
  // Its settings outlive it.
  using MakeAgent = std::function<std::unique_ptr<RemoteAgent>(
      const train::RunConfig& config, const rl::EnvSpec& spec, const StateReader& loop,
      const replay::Storage& replay)>;

  // Why no such run can be made, whatever its agent; empty where it can.
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

  // Updates that were begun before their step was over.
  std::int64_t updates_ahead() const { return updates_ahead_; }

  // For the engine, whose lock it holds.
  void arrived(int group, const std::exception_ptr& failure);
  void fail(std::exception_ptr failure);  // a device that all runs need
  bool move_on();  // as far as it goes without waiting; whether it went anywhere

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
  const bool counts_steps_;  // target syncs come by environment steps (DQN), not by updates
  const Rng root_;
  const rl::MakeEnvironment make_environment_;
  std::optional<SlotFrames> frames_;  // where the replay is packed
  std::optional<HostLanes> lanes_;
  std::optional<replay::Storage> replay_;
  std::unique_ptr<RemoteAgent> agent_;
  std::optional<HostEvaluation> evaluation_;

  Part part_ = Part::kBetween;
  train::LoopPosition position_;
  Rng sample_rng_;
  std::int64_t updates_ = 0;

  // Of the step under way.
  bool ahead_ = false;     // updates may be made before it is over
  bool sync_due_ = false;  // of the target, before them
  bool ready_ = true;      // its environments are, for the next one
  std::int64_t updates_left_ = 0;
  bool learning_ = false;         // one is under way
  std::int64_t update_step_ = 0;  // the step after which it counts
  bool drawn_ = false;            // the next one's slots are
  std::vector<std::int64_t> slots_;
  std::int64_t updates_ahead_ = 0;

  // Of the slice.
  std::atomic<bool> under_way_{false};
  std::int64_t stop_ = 0;
  train::Means means_;
  std::vector<EndedEpisode> episodes_;
  std::optional<train::EvaluationScores> scores_;
  std::string nonfinite_;
  bool suspects_drawn_ = false;  // an update met it, not the environment
  std::exception_ptr failure_;
};

}  // namespace tarl::fleet
