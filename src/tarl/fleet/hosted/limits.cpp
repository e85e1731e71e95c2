// SPDX-License-Identifier: MIT
#include "tarl/fleet/hosted/limits.h"

#include <algorithm>

#include "tarl/fleet/hosted/choice_figures.h"

namespace tarl::fleet {

std::string at_most(const char* what, std::int64_t most) {
  return "at most " + std::to_string(most) + " " + what;
}

std::string why_not_updates(const train::RunConfig& config, std::int64_t most_act_rows) {
  using align::Mode;
  if (config.batch_size + config.oversampling() > kMostCandidates) {
    return at_most("candidates an update", kMostCandidates);
  }
  if (config.n_steps != 1) return "n_steps = 1";
  if (config.align.mode != Mode::kFilter && config.align.mode != Mode::kOff) {
    return "align.mode = filter or off";
  }
  if (config.uses_scores() &&
      (config.align.score != "paper" || config.align.terminals != align::Terminals::kScore)) {
    return "align.score = paper and align.terminals = score";
  }
  if (config.on_nan == train::OnNan::kSkip) return "on_nan = stop";
  if (std::max(config.n_envs, config.eval.episodes) > most_act_rows) {
    return at_most("environments (n_envs) and episodes an evaluation", most_act_rows);
  }
  return "";
}

std::string why_not_fleet(const train::FleetConfig& fleet) {
  if (fleet.precision == train::Precision::kTf32) return "fleet.precision = f32 or fp16";
  if (fleet.blocks != 1) return "fleet.blocks = 1";
  return "";
}

}  // namespace tarl::fleet
