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

// Who draws pictures of MuJoCo's tasks: this program, flat and on every machine, or MuJoCo, where
// the machine has OSMesa. Auto is the latter where it can be had.
enum class RendererKind { kAuto, kOwn, kMujoco };
inline constexpr std::array kRendererNames = {"auto", "own", "mujoco"};

// Settings of the environment families; each family reads what concerns it.
struct EnvConfig {
  double sticky_actions = -1;  // chance of repeating the last action; see Entry::completed()
  bool ramping = true;         // MinAtar: difficulty rises with time
  std::string rom_dir;         // Atari: where the ROM files are; empty: the places setup fills
  RendererKind renderer = RendererKind::kOwn;  // asked for with pictures, no setting of a run
};

Fields fields(EnvConfig& config);

// What the names of environments begin with that Python programs bring: they are in no registry.
inline constexpr const char* kPythonFamily = "gym/";

struct Entry {
  std::string name;                  // "minatar/breakout"
  std::vector<std::string> aliases;  // other spellings: "MinAtar/Breakout-v1"
  std::string title;                 // "10x10x4 grid, 3 actions"
  std::function<std::unique_ptr<rl::Environment>(const EnvConfig&, Rng)>
      make;  // completed settings

  // What settings are chosen by before an environment is made, which may take a ROM or a while.
  // The environment's spec says the same.
  rl::ObsKind obs = rl::ObsKind::kFloats;
  int action_size = 0;        // dimensions of a continuous action; 0 for discrete ones
  double sticky_actions = 0;  // the task's own

  // Set where making an environment takes long, or a ROM, only to learn its sizes.
  std::function<rl::EnvSpec()> spec{};

  // Set where those that a run trains in are stepped together; make() then makes those of its
  // evaluations.
  rl::MakePool make_pool{};

  // With the task's own sticky_actions where they are not chosen.
  EnvConfig completed(EnvConfig config) const;

  // What make() would give.
  rl::EnvSpec describe() const;
};

// A family that is not in this build.
struct MissingFamily {
  std::string remedy;              // what would bring it
  std::vector<std::string> names;  // its environments' names elsewhere ("Hopper-v4")
};

// Environments by name. Families add their own; so may a program that links tarl.
class Registry {
 public:
  void add(Entry entry);  // a second entry of the same name replaces the first

  // An environment by name, where the settings leave a choice with the task's own. Throws as
  // find().
  std::unique_ptr<rl::Environment> make(std::string_view name, Rng rng,
                                        const EnvConfig& config = {}) const;

  // By name or alias, ignoring case. Throws UsageError with the nearest names, or with what
  // brings the family where it was not built.
  const Entry& find(std::string_view name) const;

  std::vector<std::string> names() const;

  const std::map<std::string, Entry>& entries() const { return entries_; }

  // A family that is not in this build, by the beginning of its names ("mujoco/").
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
