// SPDX-License-Identifier: MIT
//
// Saving and loading of Loop.
#include "tarl/train/loop.h"

namespace tarl::train {

void Loop::save(StateWriter& out) const {
  out.put("step", step_);
  out.put("evaluations", evaluations_);
  out.put("phase", static_cast<std::int32_t>(phase_));
  journal_.save(out);
  slots_.save(out);
  const auto save_part = [&](const char* name, const auto& part) {
    StateWriter group = out.group(name);
    part.save(group);
  };
  save_part("learner", *learner_);
  save_part("agent", *agent_);
  save_part("replay", *replay_);
}

void Loop::load(const StateReader& in) {
  std::int32_t phase = 0;
  in.get("step", step_);
  in.get("evaluations", evaluations_);
  in.get("phase", phase);
  phase_ = static_cast<Phase>(phase);
  journal_.load(in);
  slots_.load(in);
  learner_->load(in.group("learner"));
  agent_->load(in.group("agent"));
  replay_->load(in.group("replay"));
}

}  // namespace tarl::train
