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
// [overrides."family/name"] of settings.
struct Preset {
  std::string name;  // "minatar/paper"
  std::string title;
  std::vector<std::string> algos;
  std::string toml;
  bool by_default = true;  // may be used where none is named
};

// The presets compiled into the program.
const std::vector<Preset>& presets();

// By "family/name" or "family", by "name" within the environment's family, or a file. Throws
// UsageError.
Preset find_preset(const std::string& name, const std::string& env);

// The preset used when none is named: the first of the environment's family that is meant for the
// algorithm, "paper" before others.
std::optional<Preset> default_preset(const std::string& env, const std::string& base);

void apply_preset(RunConfig& config, const Preset& preset);

}  // namespace tarl::train
