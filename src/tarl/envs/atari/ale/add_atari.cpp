// SPDX-License-Identifier: MIT
#include "tarl/envs/atari/ale/ale_emulator.h"
#include "tarl/envs/atari/ale/roms.h"
#include "tarl/envs/atari/atari_env.h"
#include "tarl/envs/registry.h"

namespace tarl::envs {

namespace {

// The two customary sets of rules: v4 of Gymnasium's names without sticky actions, v5 with.
constexpr double kStickyV5 = 0.25;

Entry entry(const std::string& game, std::string name, std::string alias, double sticky) {
  Entry entry;
  entry.name = std::move(name);
  entry.aliases = {std::move(alias)};
  entry.title = "84x84 grey pixels, 4 frames, " + std::to_string(atari::action_count(game)) +
                " actions" + (sticky > 0 ? ", sticky" : "");
  entry.obs = rl::ObsKind::kBytes;
  entry.sticky_actions = sticky;
  entry.make = [game, full_name = entry.name](const EnvConfig& config, Rng rng) {
    atari::GameSettings settings;
    settings.sticky = config.sticky_actions;
    auto emulator = std::make_unique<atari::AleEmulator>(
        game, atari::find_rom(game, config.rom_dir),
        static_cast<std::uint32_t>(rng.fork("emulator").bits()));
    return std::make_unique<atari::AtariEnv>(full_name, std::move(emulator), settings, rng);
  };
  return entry;
}

}  // namespace

void add_atari(Registry& registry) {
  registry.note_library("ALE", atari::AleEmulator::library_version());
  for (const std::string_view game : atari::games()) {
    const std::string rom(game), title = atari::title_case(game);
    registry.add(entry(rom, "atari/" + rom, title + "NoFrameskip-v4", 0));
    registry.add(entry(rom, "atari/" + rom + "-v5", "ALE/" + title + "-v5", kStickyV5));
  }
}

}  // namespace tarl::envs
