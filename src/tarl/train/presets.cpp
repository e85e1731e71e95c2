// SPDX-License-Identifier: MIT
#include "tarl/train/presets.h"

#include <algorithm>

#include "tarl/core/error.h"
#include "tarl/core/files.h"
#include "tarl/core/formats/toml.h"
#include "tarl/train/preset_files.h"

namespace tarl::train {

namespace {

// "minatar" of "minatar/paper" or of "minatar/breakout"; "classic" of "classic".
std::string family_of(const std::string& name) {
  return name.substr(0, name.find('/'));
}

// presets/box2d was formerly named after its first task.
std::string present_name(const std::string& name) {
  constexpr std::string_view kOld = "bipedal/";
  return name.starts_with(kOld) ? "box2d/" + name.substr(kOld.size()) : name;
}

const EmbeddedFile* find_built_in(const std::string& name) {
  const auto found = std::find_if(kPresetFiles.begin(), kPresetFiles.end(),
                                  [&](const EmbeddedFile& file) { return file.name == name; });
  return found == kPresetFiles.end() ? nullptr : &*found;
}

std::vector<std::string> built_in_names() {
  std::vector<std::string> names;
  names.reserve(kPresetFiles.size());
  for (const EmbeddedFile& file : kPresetFiles) names.emplace_back(file.name);
  return names;
}

// Presets by name and files by path, in the order read down a chain.
using Chain = std::vector<std::string>;

constexpr std::size_t kLongestChain = 64;

[[noreturn]] void refuse_cycle(const Chain& chain, const std::string& again) {
  std::string way;
  for (const std::string& name : chain) way += name + " -> ";
  throw UsageError("preset " + again + " extends itself: " + way + again +
                   "; remove one preset.extends");
}

Preset parse(const std::string& name, std::string text, Chain chain);

Preset load(const std::string& name, const Chain& chain) {
  if (const EmbeddedFile* file = find_built_in(present_name(name))) {
    return parse(file->name, file->text, chain);
  }
  return parse(name, read_text(name), chain);
}

// The preset that `by` extends.
Preset load_base(const std::string& extends, const std::string& by, const Chain& chain) {
  if (find_built_in(present_name(extends)) != nullptr) return load(extends, chain);
  if (!extends.ends_with(".toml")) {
    throw UsageError("preset " + by + ": no preset to extend is called '" + extends + "'" +
                     did_you_mean(extends, built_in_names()) + " (a file must end in .toml)");
  }
  return load((fs::path(by).parent_path() / extends).lexically_normal().string(), chain);
}

std::string place_of(const toml::node& node, const std::string& name) {
  return name + ":" + std::to_string(node.source().begin.line) + ": ";
}

void check_about(const toml::table& about, const std::string& name) {
  const std::vector<std::string> known = {"algos", "default", "extends", "title"};
  for (const auto& [key, node] : about) {
    const std::string word(key.str()), where = place_of(node, name) + "preset." + word;
    if (std::find(known.begin(), known.end(), word) == known.end()) {
      throw UsageError(where + " is unknown" + did_you_mean(word, known));
    }
    if (word == "extends" && !node.is_string()) {
      throw UsageError(where + " must be the name of a preset, in quotes");
    }
    if (word == "title" && !node.is_string()) throw UsageError(where + " must be text in quotes");
    if (word == "default" && !node.is_boolean()) throw UsageError(where + " must be true or false");
    const toml::array* list = node.as_array();
    if (word == "algos" && (list == nullptr || !list->is_homogeneous(toml::node_type::string))) {
      throw UsageError(where + " must be a list of names in quotes");
    }
  }
}

// What a preset has beside settings, which their fields check.
void check_frame(const toml::table& root, const std::string& name) {
  for (const char* key : {"preset", "overrides"}) {
    const toml::node* node = root.get(key);
    if (node != nullptr && !node->is_table()) {
      throw UsageError(place_of(*node, name) + key + " must be a table");
    }
  }
  for (const char* key : {"algo", "env"}) {
    const toml::node* node = root.get(key);
    if (node != nullptr && !node->is_string()) {
      throw UsageError(place_of(*node, name) + key + " must be a name in quotes");
    }
  }
  if (const toml::table* about = root["preset"].as_table()) check_about(*about, name);
  if (const toml::table* overrides = root["overrides"].as_table()) {
    for (const auto& [env, node] : *overrides) {
      if (node.is_table()) continue;
      throw UsageError(place_of(node, name) + "overrides." + std::string(env.str()) +
                       " must be a table of settings");
    }
  }
}

// Layers one document on top of the chain below it.
Preset parse(const std::string& name, std::string text, Chain chain) {
  if (std::find(chain.begin(), chain.end(), name) != chain.end()) refuse_cycle(chain, name);
  if (chain.size() >= kLongestChain) {
    throw UsageError("preset " + chain.front() + " rests on more than " +
                     std::to_string(kLongestChain) + " others; put them together");
  }
  chain.push_back(name);
  const toml::table root = parse_toml(text, name);
  check_frame(root, name);
  const auto about = root["preset"];
  Preset preset;
  if (const auto extends = about["extends"].value<std::string>()) {
    preset = load_base(*extends, name, chain);
  }
  preset.name = name;
  preset.title = about["title"].value_or(preset.title);
  preset.by_default = about["default"].value_or(preset.by_default);
  if (const toml::array* algos = about["algos"].as_array()) {
    preset.algos.clear();
    for (const toml::node& algo : *algos) preset.algos.push_back(algo.value_or(std::string()));
  }
  if (const auto algo = root["algo"].value<std::string>()) preset.algo = algo;
  if (const auto env = root["env"].value<std::string>()) preset.env = env;
  preset.layers.push_back({name, std::move(text)});
  return preset;
}

// presets/minatar covers minatar/...
bool covers(const Preset& preset, const std::string& env) {
  return family_of(preset.name) == family_of(env);
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
      list.push_back(load(file.name, {}));
    }
    return list;
  }();
  return all;
}

Preset find_preset(const std::string& name, const std::string& env) {
  for (const Preset& preset : presets()) {
    const bool by_short_name = covers(preset, env) && preset.name.ends_with("/" + name);
    if (preset.name == present_name(name) || by_short_name) return preset;
  }
  if (name.ends_with(".toml")) return load(name, {});
  std::vector<std::string> known = built_in_names();
  for (const Preset& preset : presets()) {
    const std::size_t slash = preset.name.rfind('/');
    if (slash != std::string::npos && covers(preset, env)) {
      known.push_back(preset.name.substr(slash + 1));
    }
  }
  throw UsageError("no preset is called '" + name + "'" + did_you_mean(name, known) +
                   " (tarl list presets shows all; a file must end in .toml)");
}

std::string preset_base(const Algorithm& algorithm) {
  const std::string& kin = algorithm.agent().presets_of;
  return kin.empty() ? algorithm.base : kin;
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

std::optional<Preset> suggested_preset(const std::string& env, const std::string& base) {
  if (default_preset(env, base)) return std::nullopt;
  for (const Preset& preset : presets()) {
    if (covers(preset, env) && meant_for(preset, base)) return preset;
  }
  return std::nullopt;
}

void apply_preset(RunConfig& config, const Preset& preset) {
  const std::string base = preset_base(config.algorithm());
  if (!meant_for(preset, base)) {
    throw UsageError("preset " + preset.name + " is not meant for " + base +
                     "; choose another with --preset (tarl list presets)");
  }
  Fields table = fields(config);
  for (const Preset::Layer& layer : preset.layers) {
    const std::string source = "preset " + layer.name;
    set_fields_from_toml(table, layer.toml, source, {{"preset", "overrides", "algo", "env"}, {}});
    set_fields_from_toml(table, layer.toml, source, {{}, {"overrides", config.env}});
  }
}

}  // namespace tarl::train
