// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "tarl/core/fields.h"
#include "tarl/rl/environment.h"
#include "tarl/rl/environment_pool.h"

namespace tarl::envs {

// The renderer of MuJoCo tasks: this program, flat and on every machine, or MuJoCo, if the machine
// has OSMesa. Auto is the latter if available.
enum class RendererKind { kAuto, kOwn, kMujoco };
inline constexpr std::array kRendererNames = {"auto", "own", "mujoco"};

// Settings of the environment families; each family reads its own.
struct EnvConfig {
  double sticky_actions = -1;  // probability of repeating the last action; see Entry::completed()
  bool ramping = true;         // MinAtar: difficulty rises with time
  std::string rom_dir;         // Atari: folder of the ROM files; empty: setup's default
  RendererKind renderer = RendererKind::kOwn;  // requested with pictures, not a setting of a run
};

Fields fields(EnvConfig& config);

// Prefix of the names of environments that Python programs provide: they are in no registry.
inline constexpr const char* kPythonFamily = "gym/";

struct Entry {
  std::string name;                  // "minatar/breakout"
  std::vector<std::string> aliases;  // other spellings: "MinAtar/Breakout-v1"
  std::string title;                 // "10x10x4 grid, 3 actions"
  std::function<std::unique_ptr<rl::Environment>(const EnvConfig&, Rng)>
      make;  // completed settings

  // What settings depend on before an environment is made, which may need a ROM or take long. The
  // environment's spec must agree.
  rl::ObsKind obs = rl::ObsKind::kFloats;
  int action_size = 0;        // dimensions of a continuous action; 0 for discrete ones
  double sticky_actions = 0;  // the task's own

  // Set if making an environment just to learn its sizes takes long or needs a ROM.
  std::function<rl::EnvSpec()> spec{};

  // Set if a run's training environments are stepped together; make() then makes those of its
  // evaluations.
  rl::MakePool make_pool{};

  // With the task's own sticky_actions if they are left open.
  EnvConfig completed(EnvConfig config) const;

  // The spec of what make() would return.
  rl::EnvSpec describe() const;
};

// A family that is not in this build.
struct MissingFamily {
  std::string remedy;              // how to get it
  std::vector<std::string> names;  // its environments' names elsewhere ("Hopper-v4")
};

// Environments by name. Families add their own; so may a program that links tarl.
class Registry {
 public:
  void add(Entry entry);  // a second entry of the same name replaces the first

  // An environment by name, with the task's own values for settings left open. Throws like find().
  std::unique_ptr<rl::Environment> make(std::string_view name, Rng rng,
                                        const EnvConfig& config = {}) const;

  // By name or alias, ignoring case. Throws UsageError with the nearest names, or, if the family
  // was not built, with how to get it.
  const Entry& find(std::string_view name) const;

  std::vector<std::string> names() const;

  const std::map<std::string, Entry>& entries() const { return entries_; }

  // A family that is not in this build, by the prefix of its names ("mujoco/").
  void note_missing(std::string prefix, MissingFamily family);

  const std::map<std::string, MissingFamily>& missing() const { return missing_; }

  // A simulator in use and its version, for provenance ("MuJoCo" -> "3.3.7").
  void note_library(std::string name, std::string version);

  const std::map<std::string, std::string>& libraries() const { return libraries_; }

 private:
  std::vector<std::string> aliases() const;  // of missing families, too

  std::map<std::string, Entry> entries_;
  std::map<std::string, MissingFamily> missing_;
  std::map<std::string, std::string> libraries_;
};

// The registry with every built-in family.
Registry& registry();

void add_minatar(Registry& registry);
void add_classic(Registry& registry);
void add_mujoco(Registry& registry);
void add_box2d(Registry& registry);
void add_atari(Registry& registry);

}  // namespace tarl::envs
