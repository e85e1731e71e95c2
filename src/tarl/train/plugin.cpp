// SPDX-License-Identifier: MIT
#include "tarl/train/plugin.h"

#include <algorithm>
#include <cstring>

#include <dlfcn.h>

#include "tarl/core/error.h"

namespace tarl::train {

namespace {

std::vector<LoadedPlugin>& loaded() {
  static std::vector<LoadedPlugin> all;
  return all;
}

bool same_build(const Plugin& plugin) {
  const Plugin own;
  return plugin.layout == own.layout && plugin.compiler_abi == own.compiler_abi &&
         plugin.string_abi == own.string_abi &&
         std::strcmp(plugin.tarl_version, own.tarl_version) == 0 &&
         std::strcmp(plugin.tarl_commit, own.tarl_commit) == 0;
}

std::string built_with(const Plugin& plugin) {
  if (plugin.layout != Plugin{}.layout) return "another version of tarl";
  return std::string("tarl ") + plugin.tarl_version + " (" + plugin.tarl_commit + ", C++ ABI " +
         std::to_string(plugin.compiler_abi) + "/" + std::to_string(plugin.string_abi) + ")";
}

// The plugin's own description. The library stays open: its code is in use from here on.
const Plugin& open_plugin(const fs::path& path) {
  void* library = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    throw UsageError(std::string("cannot load the plugin: ") + ::dlerror() +
                     "; build it against this tarl (docs/plugins.md)");
  }
  const auto entry = reinterpret_cast<PluginEntry>(::dlsym(library, kPluginEntry));
  if (entry == nullptr) {
    throw UsageError(path.string() + " is no plugin of tarl: it has no TARL_PLUGIN");
  }
  const Plugin& plugin = *entry();
  if (!same_build(plugin)) {
    throw UsageError(path.string() + " was built with " + built_with(plugin) + ", this is " +
                     built_with(Plugin{}) + "; build it again with the headers of this tarl");
  }
  return plugin;
}

}  // namespace

void load_plugin(const fs::path& path) {
  if (!fs::is_regular_file(path)) {
    throw UsageError("there is no plugin " + path.string() +
                     "; name the file of a shared library, e.g. --plugin build/libmine.so");
  }
  const fs::path absolute = fs::canonical(path);
  const bool known = std::any_of(loaded().begin(), loaded().end(),
                                 [&](const auto& one) { return one.path == absolute; });
  if (known) return;
  const Plugin& plugin = open_plugin(absolute);
  Registries registries;
  try {
    plugin.add(registries);
  } catch (const std::exception& problem) {
    throw UsageError("the plugin " + absolute.string() + " cannot be added: " + problem.what());
  }
  loaded().push_back({absolute, plugin.name, plugin.version});
}

const std::vector<LoadedPlugin>& loaded_plugins() {
  return loaded();
}

}  // namespace tarl::train
