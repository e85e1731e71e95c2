// SPDX-License-Identifier: MIT
//
// tarl with an environment whose observations are so large that a small replay is kept in segments.
#include "train/wide_env.h"

#include "tarl/cli/app.h"

int main(int argc, char** argv) {
  tarl::test::add_wide_env();
  return tarl::cli::main(argc, argv);
}
