// SPDX-License-Identifier: MIT
#pragma once

#include <functional>

#include "tarl/train/plugin.h"

namespace tarl::cli {

// The program tarl: runs the command line of main() and returns the exit code. A custom program
// first adds to the registries; exceptions there are reported like any other error. The only place
// that catches errors.
int main(int argc, char** argv, const std::function<void(train::Registries&)>& add = {});

}  // namespace tarl::cli
