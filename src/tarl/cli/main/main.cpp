// SPDX-License-Identifier: MIT
#include "tarl/cli/app.h"

int main(int argc, char** argv) {
  return tarl::cli::run_app(argc, argv);
}
