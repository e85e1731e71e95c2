// SPDX-License-Identifier: MIT
#include "tarl/train/loop_records.h"

namespace tarl::train {

void LoopPosition::save(StateWriter& out) const {
  out.put("step", step);
  out.put("evaluations", evaluations);
  out.put("phase", static_cast<std::int32_t>(phase));
}

LoopPosition LoopPosition::load(const StateReader& in) {
  LoopPosition position;
  std::int32_t phase = 0;
  in.get("step", position.step);
  in.get("evaluations", position.evaluations);
  in.get("phase", phase);
  position.phase = static_cast<Phase>(phase);
  return position;
}

void LearnerState::save(StateWriter& out) const {
  out.put("sample_rng", sample_rng);
  out.put("noise_rng", noise_rng);
  out.put("updates", updates);
  out.put("updates_since_sync", updates_since_sync);
  out.put("target_lag", target_lag);
}

LearnerState LearnerState::load(const StateReader& in) {
  LearnerState state;
  in.get("sample_rng", state.sample_rng);
  in.get("noise_rng", state.noise_rng);
  in.get("updates", state.updates);
  in.get("updates_since_sync", state.updates_since_sync);
  state.target_lag = static_cast<double>(state.updates_since_sync);  // of earlier versions
  if (in.has("target_lag")) in.get("target_lag", state.target_lag);
  return state;
}

}  // namespace tarl::train
