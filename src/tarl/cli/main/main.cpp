// SPDX-License-Identifier: MIT
#include "tarl/cli/app.h"

int main(int argc, char** argv) {
  return tarl::cli::main(argc, argv);
}
