// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tarl/train/config.h"

namespace tarl::train {

// A preset is TOML: settings, `preset.title`, `preset.algos` (base names it is meant for),
// `preset.default` (false: used only when named) and, for an environment that differs, a table
// [overrides."family/name"] of settings. The output of show-config is a preset, too, which names
// its algorithm and environment.
//
// `preset.extends = "minatar/paper"` layers a preset on top of another, from which it inherits
// whatever it does not set, algos included. A file may extend a built-in preset by name, or another
// file, whose path ends in .toml and is relative to its own folder. Chains may have any length.
struct Preset {
  // One document of the chain.
  struct Layer {
    std::string name;  // for messages
    std::string toml;
  };

  std::string name;  // "minatar/paper"
  std::string title;
  std::vector<std::string> algos;
  bool by_default = true;  // may be used when none is named
  std::optional<std::string> algo;
  std::optional<std::string> env;
  std::vector<Layer> layers;  // each on top of the one before
};

// The presets compiled into the program.
const std::vector<Preset>& presets();

// By "family/name" or "family", by "name" within the environment's family, or a file. Throws
// UsageError, also for a cyclic chain.
Preset find_preset(const std::string& name, const std::string& env);

// The base algorithm that presets are matched by: the agent's own, or the one whose presets it
// uses.
std::string preset_base(const Algorithm& algorithm);

// The preset used when none is named: the first in the environment's family for the algorithm,
// "paper" before others.
std::optional<Preset> default_preset(const std::string& env, const std::string& base);

// A suitable one if there is no default.
std::optional<Preset> suggested_preset(const std::string& env, const std::string& base);

// Sets everything but the algorithm and the environment, which determine the settings that exist.
void apply_preset(RunConfig& config, const Preset& preset);

}  // namespace tarl::train
