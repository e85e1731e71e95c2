// SPDX-License-Identifier: MIT
//
// The same for the stock program: tarl train --plugin libown_method.so --algo ta-linear-q ...
#include "own_method.h"
#include <tarl/train/plugin.h>

TARL_PLUGIN("own_method", "1.0") {
  add_half_support(registries.scores);
  add_linear_q(registries.agents);
  add_meadow(registries.environments);
}
