// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tarl/train/config.h"

namespace tarl::train {

// A preset is TOML: settings, `preset.title`, `preset.algos` (base names it is meant for),
// `preset.default` (false: used only where it is named) and, where an environment differs, a table
// [overrides."family/name"] of settings. What show-config prints is one, too: it names the
// algorithm and the environment it was printed for.
//
// `preset.extends = "minatar/paper"` puts a preset on top of another: what it does not say, algos
// included, is the other's. A file may extend a built-in preset by name or another file, whose path
// ends in .toml and is relative to its own folder. Chains may be of any length.
struct Preset {
  // One document of the chain.
  struct Layer {
    std::string name;  // for messages
    std::string toml;
  };

  std::string name;  // "minatar/paper"
  std::string title;
  std::vector<std::string> algos;
  bool by_default = true;  // may be used where none is named
  std::optional<std::string> algo;
  std::optional<std::string> env;
  std::vector<Layer> layers;  // each on top of the one before
};

// The presets compiled into the program.
const std::vector<Preset>& presets();

// By "family/name" or "family", by "name" within the environment's family, or a file. Throws
// UsageError, also for a chain that comes back to itself.
Preset find_preset(const std::string& name, const std::string& env);

// The base algorithm by which presets fit: the agent's own, or the one whose presets it takes.
std::string preset_base(const Algorithm& algorithm);

// The preset used when none is named: the first of the environment's family that is meant for the
// algorithm, "paper" before others.
std::optional<Preset> default_preset(const std::string& env, const std::string& base);

// One that fits where there is no default.
std::optional<Preset> suggested_preset(const std::string& env, const std::string& base);

// Sets all but the algorithm and the environment, by which `config` decides which settings there
// are.
void apply_preset(RunConfig& config, const Preset& preset);

}  // namespace tarl::train
