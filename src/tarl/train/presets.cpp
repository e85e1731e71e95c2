// SPDX-License-Identifier: MIT
#include "tarl/train/presets.h"

#include <algorithm>

#include "tarl/core/error.h"
#include "tarl/core/files.h"
#include "tarl/core/formats/toml.h"
#include "tarl/train/preset_files.h"

namespace tarl::train {

namespace {

Preset parse(std::string name, std::string text, const std::string& source) {
  Preset preset;
  preset.name = std::move(name);
  preset.toml = std::move(text);
  const toml::table root = parse_toml(preset.toml, source);
  preset.title = root["preset"]["title"].value_or(std::string());
  preset.by_default = root["preset"]["default"].value_or(true);
  if (const toml::array* algos = root["preset"]["algos"].as_array()) {
    for (const toml::node& algo : *algos) preset.algos.push_back(algo.value_or(std::string()));
  }
  return preset;
}

// "minatar" of "minatar/paper" or of "minatar/breakout"; "classic" of "classic".
std::string family_of(const std::string& name) {
  return name.substr(0, name.find('/'));
}

// presets/minatar covers minatar/..., presets/bipedal covers box2d/bipedal_walker.
bool covers(const Preset& preset, const std::string& env) {
  const std::string folder = family_of(preset.name);
  return folder == family_of(env) || env.find("/" + folder) != std::string::npos;
}

bool meant_for(const Preset& preset, const std::string& base) {
  return preset.algos.empty() ||
         std::find(preset.algos.begin(), preset.algos.end(), base) != preset.algos.end();
}

}  // namespace

const std::vector<Preset>& presets() {
  static const std::vector<Preset> all = [] {
    std::vector<Preset> list;
    list.reserve(std::size(kPresetFiles));
    for (const EmbeddedFile& file : kPresetFiles) {
      list.push_back(parse(file.name, file.text, file.name));
    }
    return list;
  }();
  return all;
}

Preset find_preset(const std::string& name, const std::string& env) {
  std::vector<std::string> known;
  for (const Preset& preset : presets()) {
    const bool by_short_name = covers(preset, env) && preset.name.ends_with("/" + name);
    if (preset.name == name || by_short_name) return preset;
    known.push_back(preset.name);
  }
  if (name.ends_with(".toml")) return parse(name, read_text(name), name);
  throw UsageError("no preset is called '" + name + "'" +
                   did_you_mean(family_of(env) + "/" + name, known) +
                   " (tarl list presets shows all; a file must end in .toml)");
}

std::optional<Preset> default_preset(const std::string& env, const std::string& base) {
  std::optional<Preset> found;
  for (const Preset& preset : presets()) {
    if (!preset.by_default || !covers(preset, env) || !meant_for(preset, base)) continue;
    if (preset.name.ends_with("/paper")) return preset;
    if (!found) found = preset;
  }
  return found;
}

void apply_preset(RunConfig& config, const Preset& preset) {
  const std::string base = config.algorithm().base_name();
  if (!meant_for(preset, base)) {
    throw UsageError("preset " + preset.name + " is not meant for " + base +
                     "; choose another with --preset (tarl list presets)");
  }
  Fields table = fields(config);
  const std::string source = "preset " + preset.name;
  set_fields_from_toml(table, preset.toml, source, {{"preset", "overrides"}, {}});
  set_fields_from_toml(table, preset.toml, source, {{}, {"overrides", config.env}});
}

}  // namespace tarl::train
