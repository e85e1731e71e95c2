// SPDX-License-Identifier: MIT
//
// Saving and loading of Loop.
#include "tarl/train/loop.h"

namespace tarl::train {

void Loop::save(StateWriter& out) const {
  LoopPosition{step_, evaluations_, phase_}.save(out);
  recorder_.save(out);
  slots_.save(out);
  const auto save_part = [&](const char* name, const auto& part) {
    StateWriter group = out.group(name);
    part.save(group);
  };
  save_part(kLearnerGroup, *learner_);
  save_part(kAgentGroup, *agent_);
  save_part(kReplayGroup, *replay_);
}

void Loop::load(const StateReader& in) {
  const LoopPosition position = LoopPosition::load(in);
  step_ = position.step;
  evaluations_ = position.evaluations;
  phase_ = position.phase;
  recorder_.load(in);
  lost_ = slots_.load(in);
  learner_->load(in.group(kLearnerGroup));
  agent_->load(in.group(kAgentGroup));
  replay_->load(in.group(kReplayGroup));
}

}  // namespace tarl::train
