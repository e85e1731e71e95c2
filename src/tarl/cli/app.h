// SPDX-License-Identifier: MIT
#pragma once

#include <functional>

#include "tarl/train/plugin.h"

namespace tarl::cli {

// The program tarl: runs the command line that main() was given and returns the exit code. A
// program of one's own adds to the registries first; what it throws there is told like any other
// error. The only place that catches errors.
int main(int argc, char** argv, const std::function<void(train::Registries&)>& add = {});

}  // namespace tarl::cli
