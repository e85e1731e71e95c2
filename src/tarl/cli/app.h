// SPDX-License-Identifier: MIT
#pragma once

namespace tarl::cli {

// The program tarl: runs the command line that main() was given and returns the exit code. A
// program of one's own adds to the registries before it calls this. The only place that catches
// errors.
int main(int argc, char** argv);

}  // namespace tarl::cli
