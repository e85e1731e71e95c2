// SPDX-License-Identifier: MIT
#pragma once

namespace tarl::cli {

// Runs the command line that main() was given and returns the exit code. The only place that
// catches errors.
int run_app(int argc, char** argv);

}  // namespace tarl::cli
