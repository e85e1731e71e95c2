// SPDX-License-Identifier: MIT
//
// tarl with a score, an agent and an environment more: every verb knows them.
#include "own_method.h"
#include <tarl/cli/app.h>

int main(int argc, char** argv) {
  add_half_support(tarl::align::score_registry());
  add_linear_q(tarl::agents::registry());
  add_meadow(tarl::envs::registry());
  return tarl::cli::main(argc, argv);
}
