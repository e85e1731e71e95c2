// SPDX-License-Identifier: MIT
#pragma once

#include <atomic>

#include "tarl/fleet/hosted/remote_agent.h"
#include "tarl/replay/storage.h"
#include "tarl/train/learner.h"
#include "tarl/train/make_agent.h"

namespace tarl::fleet::test {

// The rows drawn by a run, as a replay for learners to sample from.
class GivenRows final : public rl::Replay {
 public:
  GivenRows(const train::RunConfig& config, const replay::Storage& storage)
      : config_(config), storage_(storage) {}

  std::vector<std::int64_t> slots;

  std::int64_t size() const override { return storage_.size(); }

  std::int64_t capacity() const override { return storage_.capacity(); }

  std::size_t memory_bytes() const override { return 0; }

  void add(const rl::Transition&) override {}

  void truncate(int) override {}

  void sample(int, double, Rng&, rl::Sample& out) override {
    out.index = slots;
    out.weight.assign(slots.size(), 1.0F);
    storage_.gather(slots, static_cast<int>(config_.n_steps), config_.gamma, out.batch);
  }

  void update_priorities(const rl::Sample&, std::span<const float>) override {}

  rl::SegmentRange sealed() const override { return storage_.sealed(); }

  void save_segment(std::int64_t, StateWriter&) const override {}

  void load_segment(const StateReader&) override {}

  void save(StateWriter&) const override {}

  void load(const StateReader&) override {}

 private:
  const train::RunConfig& config_;
  const replay::Storage& storage_;
};

// The CPU's agent and learner as a remote agent. An answer arrives after `lateness` polls and is
// not computed earlier, so that changing the request meanwhile is detected.
class LocalAgent final : public RemoteAgent {
 public:
  static inline std::atomic<int> acts_beside{0};  // an update under way, of all agents

  LocalAgent(const train::RunConfig& config, const rl::EnvSpec& spec, const StateReader& loop,
             const replay::Storage& storage, int lateness)
      : config_(config),
        lateness_(lateness),
        rows_(config, storage),
        agent_(train::make_agent(config, spec, root_of(config), team_)),
        learner_(config, *agent_, rows_, spec, root_of(config)) {
    agent_->load(loop.group(train::kAgentGroup));
    learner_.load(loop.group(train::kLearnerGroup));
  }

  bool acts_beside_updates() const override { return lateness_ > 1; }

  void act(const train::WantedActions& wanted, const rl::ActMode& mode) override {
    wanted_ = wanted;
    mode_ = mode;
    act_polls_ = 0;
    if (learning_) ++acts_beside;
  }

  bool acted() override {
    if (act_polls_++ < lateness_) return false;
    agent_->act(wanted_.obs, wanted_.n, mode_, wanted_.streams, wanted_.actions);
    return true;
  }

  void store(std::int64_t, const rl::Transition&) override {}

  void update(std::span<const std::int64_t> slots, double progress) override {
    rows_.slots.assign(slots.begin(), slots.end());
    progress_ = progress;
    update_polls_ = 0;
    learning_ = true;
  }

  bool updated(train::Means& means) override {
    if (update_polls_++ < 3 * lateness_) return false;
    learning_ = false;
    learner_.step(progress_, means);
    const bool by_steps = config_.algorithm().agent().syncs_by_steps;
    if (!by_steps && learner_.updates() % config_.target_update_interval == 0) sync_target();
    return true;
  }

  void sync_target() override { learner_.sync_target(config_.tau); }

  train::LearnerState learner() const override {
    Tensors state;
    StateWriter out(state);
    learner_.save(out);
    return train::LearnerState::load(StateReader(state, "learner"));
  }

  void save(StateWriter& agent) const override { agent_->save(agent); }

  Tensors parameters() const override { return agent_->parameters(); }

 private:
  static Rng root_of(const train::RunConfig& config) {
    return seeded(static_cast<std::uint64_t>(config.seed));
  }

  const train::RunConfig& config_;
  const int lateness_;
  GivenRows rows_;
  Team team_{1};
  std::unique_ptr<rl::Agent> agent_;
  train::Learner learner_;
  train::WantedActions wanted_;
  rl::ActMode mode_;
  double progress_ = 0;
  int act_polls_ = 0, update_polls_ = 0;
  bool learning_ = false;
};

}  // namespace tarl::fleet::test
