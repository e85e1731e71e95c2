// SPDX-License-Identifier: MIT
#include "tarl/envs/registry.h"

#include <algorithm>
#include <cctype>

#include "tarl/core/build_config.h"
#include "tarl/core/error.h"

namespace tarl::envs {

namespace {

std::string lower(std::string_view text) {
  std::string out(text);
  std::transform(out.begin(), out.end(), out.begin(),
                 [](unsigned char letter) { return static_cast<char>(std::tolower(letter)); });
  return out;
}

Registry built_in() {
  Registry registry;
  add_classic(registry);
  add_minatar(registry);
  if constexpr (kMujocoBuilt) {
    add_mujoco(registry);
  } else {
    registry.note_missing("mujoco/", "MuJoCo is not in this build: run 'make setup build'");
  }
  if constexpr (kBox2dBuilt) {
    add_box2d(registry);
  } else {
    registry.note_missing("box2d/", "Box2D is not in this build: run 'make setup build'");
  }
  if constexpr (kAleBuilt) {
    add_atari(registry);
  } else {
    registry.note_missing("atari/",
                          "the Arcade Learning Environment is not in this build: run "
                          "'make setup build'");
  }
  return registry;
}

}  // namespace

Fields fields(EnvConfig& config) {
  return {
      number_or({"-1", -1}, number("environment.sticky_actions", config.sticky_actions, 0, 1,
                                   "chance that the previous action is repeated; -1 chooses the "
                                   "environment's own")),
      flag("environment.ramping", config.ramping, "MinAtar: difficulty rises with time"),
      text("environment.rom_dir", config.rom_dir,
           "Atari: folder of ROM files; empty: where setup put them"),
  };
}

EnvConfig Entry::completed(EnvConfig config) const {
  if (config.sticky_actions < 0) config.sticky_actions = sticky_actions;
  return config;
}

void Registry::add(Entry entry) {
  std::string name = entry.name;
  entry.make = [name, make = std::move(entry.make), obs = entry.obs, size = entry.action_size](
                   const EnvConfig& config, Rng rng) {
    require(config.sticky_actions >= 0, "settings of an environment that are not completed");
    auto env = make(config, rng);
    if (env->spec().obs.kind != obs || env->spec().action.size != size) {
      throw Error(name +
                  ": its entry in the registry has another obs or action_size than its spec");
    }
    return env;
  };
  entries_.insert_or_assign(std::move(name), std::move(entry));
}

void Registry::note_missing(std::string prefix, std::string remedy) {
  missing_.emplace(std::move(prefix), std::move(remedy));
}

void Registry::note_library(std::string name, std::string version) {
  libraries_.insert_or_assign(std::move(name), std::move(version));
}

const Entry& Registry::find(std::string_view name) const {
  const std::string wanted = lower(name);
  for (const auto& [known, entry] : entries_) {
    if (lower(known) == wanted) return entry;
    for (const std::string& alias : entry.aliases) {
      if (lower(alias) == wanted) return entry;
    }
  }
  for (const auto& [prefix, remedy] : missing_) {
    if (wanted.starts_with(prefix)) throw UsageError(std::string(name) + ": " + remedy);
  }
  throw UsageError("no environment is called '" + std::string(name) + "'" +
                   did_you_mean(wanted, names()) + " (tarl list envs shows all)");
}

std::unique_ptr<rl::Environment> Registry::make(std::string_view name, Rng rng,
                                                const EnvConfig& config) const {
  const Entry& entry = find(name);
  return entry.make(entry.completed(config), rng);
}

std::vector<std::string> Registry::names() const {
  std::vector<std::string> names;
  for (const auto& [name, entry] : entries_) names.push_back(name);
  return names;
}

Registry& registry() {
  static Registry instance = built_in();
  return instance;
}

}  // namespace tarl::envs
