// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

namespace tarl::cli {

inline constexpr const char* kPluginOption = "--plugin";
inline constexpr const char* kPluginVariable = "TARL_PLUGINS";  // paths separated by ':'

std::vector<std::string> plugins_of_environment();

// Loads them, and lists them in the environment for child processes. Throws UsageError.
void use_plugins(const std::vector<std::string>& paths);

// "--plugin FILE" for each that is loaded, for programs that do not inherit the environment.
std::vector<std::string> plugin_arguments();

}  // namespace tarl::cli
