// SPDX-License-Identifier: MIT
//
// tarl with a score, an agent and an environment more: every verb knows them.
#include "own_method.h"
#include <tarl/cli/app.h>

int main(int argc, char** argv) {
  return tarl::cli::main(argc, argv, add_own_method);
}
