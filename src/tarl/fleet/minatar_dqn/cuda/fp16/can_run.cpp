// SPDX-License-Identifier: MIT
#include "tarl/fleet/minatar_dqn/cuda/fp16/can_run.h"

#include "tarl/fleet/minatar_dqn/fp16_layout.h"

namespace tarl::fleet {

std::string why_not_fp16(const AgentSpec& spec) {
  if (spec.net.layers != 2 || spec.net.layer[0].out != kUnits) {
    return "only net_arch = [" + std::to_string(kUnits) + "]";
  }
  if (spec.net.dueling != 0) return "no dueling networks";
  if (spec.optimizer.adam != 0 || spec.optimizer.centered != 0) return "only plain RMSprop";
  if (spec.batch != 32 && spec.batch != 64) return "only batch_size = 32 or 64";
  // Boards with more channels leave shared memory for half as many rows.
  const int most = spec.net.channels > 7 ? kFp16Rows / 2 : kFp16Rows;
  if (spec.candidates > most) {
    return "at most " + std::to_string(most) + " candidates per update in this game";
  }
  if (spec.tau != 1.0) return "only hard target copies (tau = 1)";
  return "";
}

}  // namespace tarl::fleet
