// SPDX-License-Identifier: MIT
#include "tarl/envs/registry.h"

#include <algorithm>

#include "tarl/core/build_config.h"
#include "tarl/core/error.h"
#include "tarl/core/lower_case.h"
#include "tarl/envs/gymnasium_names.h"

namespace tarl::envs {

namespace {

void note_missing(Registry& registry, const std::string& prefix, const std::string& simulator) {
  registry.note_missing(prefix, {simulator + " is not in this build: run 'make setup build'",
                                 gymnasium_names(prefix)});
}

Registry built_in() {
  Registry registry;
  add_classic(registry);
  add_minatar(registry);
  if constexpr (kMujocoBuilt) {
    add_mujoco(registry);
  } else {
    note_missing(registry, "mujoco/", "MuJoCo");
  }
  if constexpr (kBox2dBuilt) {
    add_box2d(registry);
  } else {
    note_missing(registry, "box2d/", "Box2D");
  }
  if constexpr (kAleBuilt) {
    add_atari(registry);
  } else {
    note_missing(registry, "atari/", "the Arcade Learning Environment");
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

rl::EnvSpec Entry::describe() const {
  return spec ? spec() : make(completed({}), Rng())->spec();
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

void Registry::note_missing(std::string prefix, MissingFamily family) {
  missing_.insert_or_assign(std::move(prefix), std::move(family));
}

void Registry::note_library(std::string name, std::string version) {
  libraries_.insert_or_assign(std::move(name), std::move(version));
}

const Entry& Registry::find(std::string_view name) const {
  const std::string wanted = lower_case(name);
  for (const auto& [known, entry] : entries_) {
    if (lower_case(known) == wanted) return entry;
    for (const std::string& alias : entry.aliases) {
      if (lower_case(alias) == wanted) return entry;
    }
  }
  for (const auto& [prefix, family] : missing_) {
    const bool known =
        std::any_of(family.names.begin(), family.names.end(),
                    [&](const std::string& one) { return lower_case(one) == wanted; });
    if (known || wanted.starts_with(prefix)) {
      throw UsageError(std::string(name) + ": " + family.remedy);
    }
  }
  if (wanted.starts_with(kPythonFamily)) {
    throw UsageError(std::string(name) +
                     " is an environment of Python's: in Python, tarl.resume(RUN) goes on with its "
                     "run, and tarl.resume(RUN).evaluate() plays it");
  }
  std::string hint = did_you_mean(name, names());
  if (hint.empty()) hint = did_you_mean(name, aliases());
  throw UsageError("no environment is called '" + std::string(name) + "'" + hint +
                   " (tarl list envs shows all; --plugin adds others)");
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

std::vector<std::string> Registry::aliases() const {
  std::vector<std::string> all;
  for (const auto& [name, entry] : entries_) {
    all.insert(all.end(), entry.aliases.begin(), entry.aliases.end());
  }
  for (const auto& [prefix, family] : missing_) {
    all.insert(all.end(), family.names.begin(), family.names.end());
  }
  return all;
}

Registry& registry() {
  static Registry instance = built_in();
  return instance;
}

}  // namespace tarl::envs
