// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

namespace tarl::cli {

inline constexpr const char* kPluginOption = "--plugin";
inline constexpr const char* kPluginVariable = "TARL_PLUGINS";  // paths with ':' between them

std::vector<std::string> plugins_of_environment();

// Loads them, and names them in the environment for the programs that this one starts. Throws
// UsageError.
void use_plugins(const std::vector<std::string>& paths);

// "--plugin FILE" for each that is loaded, where a program does not inherit the environment.
std::vector<std::string> plugin_arguments();

}  // namespace tarl::cli
