// SPDX-License-Identifier: MIT
//
// tarl with an additional score, agent and environment, which every verb knows.
#include "own_method.h"
#include <tarl/cli/app.h>

int main(int argc, char** argv) {
  return tarl::cli::main(argc, argv, add_own_method);
}
