// SPDX-License-Identifier: MIT
//
// Plugins add agents, environments and scores to a program that is already built: docs/plugins.md.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tarl/agents/registry.h"
#include "tarl/align/score_registry.h"
#include "tarl/core/build_config.h"
#include "tarl/core/files.h"
#include "tarl/envs/registry.h"

namespace tarl::train {

// Everything a program looks up by name; a plugin receives the registries of the program that loads
// it.
struct Registries {
  agents::Registry& agents = agents::registry();
  envs::Registry& environments = envs::registry();
  align::ScoreRegistry& scores = align::score_registry();
};

// A plugin's description of itself. Both sides are C++, so both must be built from the same headers
// with the same kind of compiler: everything above `name` is compared before the rest is read.
struct Plugin {
  std::uint32_t layout = 1;  // of this struct
  std::uint32_t compiler_abi = __GXX_ABI_VERSION;
  std::uint32_t string_abi = _GLIBCXX_USE_CXX11_ABI;
  const char* tarl_version = kVersion;
  const char* tarl_commit = kCommit;

  const char* name = "";
  const char* version = "";
  void (*add)(Registries& registries) = nullptr;
};

using PluginEntry = const Plugin* (*)();
inline constexpr const char* kPluginEntry = "tarl_plugin";

struct LoadedPlugin {
  fs::path path;  // absolute
  std::string name;
  std::string version;
};

// Loads a shared library and calls it to fill the registries; does nothing if it is already loaded.
// Throws UsageError that says why a library cannot be used.
void load_plugin(const fs::path& path);

// In the order they were loaded.
const std::vector<LoadedPlugin>& loaded_plugins();

}  // namespace tarl::train

// Used once in a plugin, followed by the body that adds to `registries`:
//   TARL_PLUGIN("mine", "1.0") { registries.environments.add(...); }
#define TARL_PLUGIN(plugin_name, plugin_version)                                              \
  static void tarl_plugin_add(tarl::train::Registries& registries);                           \
  extern "C" __attribute__((visibility("default"))) const tarl::train::Plugin* tarl_plugin(); \
  const tarl::train::Plugin* tarl_plugin() {                                                  \
    static const tarl::train::Plugin plugin{                                                  \
        .name = (plugin_name), .version = (plugin_version), .add = tarl_plugin_add};          \
    return &plugin;                                                                           \
  }                                                                                           \
  static void tarl_plugin_add([[maybe_unused]] tarl::train::Registries& registries)
