// SPDX-License-Identifier: MIT
#pragma once

#include "fleet/gpu/first_split.h"

namespace tarl::fleet::test {

// Every built-in score and rule for terminals, under every replay.
inline std::vector<Case> score_cases() {
  const std::string breakout = "minatar/breakout";
  return {{"ta-dqn", breakout, {"align.score=direction"}},
          {"ta-ddqn+per", breakout, {"align.score=error"}},
          {"ta-dqn+reaper", "minatar/asterix", {"align.score=random"}},
          {"ta-dqn", "minatar/space_invaders", {"align.score=worst", "align.margin=0.5"}},
          {"ta-dqn", breakout, {"align.score=fresh"}},
          {"ta-dqn+per", "minatar/asterix", {"align.score=signal"}},
          {"ta-ddqn", "minatar/space_invaders", {"align.score=above"}},
          {"ta-dqn+reaper", breakout, {"align.score=below"}},
          {"dqn+per", breakout, {"align.score=random", "align.mode=weight"}},
          {"dqn", breakout, {"align.score=worst", "align.mode=scale", "align.kappa=2"}},
          {"ta-dqn", breakout, {"align.terminals=exempt"}},
          {"ta-ddqn+reaper", breakout, {"align.terminals=exempt", "align.score=random"}},
          {"ta-dqn+per", breakout, {"align.terminals=match", "replay.draw=stratified"}},
          {"ta-dqn", breakout, {"align.terminals=match", "align.terminal_share=0.3"}},
          {"ta-dqn+reaper", breakout, {"align.terminals=match", "align.terminal_share=1"}}};
}

}  // namespace tarl::fleet::test
