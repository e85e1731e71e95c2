// SPDX-License-Identifier: MIT
#include "tarl/cli/plugins.h"

#include <cstdlib>
#include <sstream>

#include "tarl/core/error.h"
#include "tarl/train/plugin.h"

namespace tarl::cli {

std::vector<std::string> plugins_of_environment() {
  std::vector<std::string> paths;
  const char* given = std::getenv(kPluginVariable);
  std::istringstream all(given == nullptr ? "" : given);
  for (std::string path; std::getline(all, path, ':');) {
    if (!path.empty()) paths.push_back(path);
  }
  return paths;
}

void use_plugins(const std::vector<std::string>& paths) {
  if (paths.empty()) return;
  for (const std::string& path : paths) train::load_plugin(path);
  std::string all;
  for (const train::LoadedPlugin& plugin : train::loaded_plugins()) {
    if (plugin.path.string().find(':') != std::string::npos) {
      throw UsageError("the path of a plugin cannot have a ':' in it: " + plugin.path.string());
    }
    all += (all.empty() ? "" : ":") + plugin.path.string();
  }
  ::setenv(kPluginVariable, all.c_str(), 1);
}

std::vector<std::string> plugin_arguments() {
  std::vector<std::string> words;
  for (const train::LoadedPlugin& plugin : train::loaded_plugins()) {
    words.insert(words.end(), {kPluginOption, plugin.path.string()});
  }
  return words;
}

}  // namespace tarl::cli
