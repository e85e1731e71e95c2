// SPDX-License-Identifier: MIT
#include "tarl/cli/app.h"

int main(int argc, char** argv) {
  return tarl::cli::run_app(std::vector<std::string>(argv + 1, argv + argc));
}
