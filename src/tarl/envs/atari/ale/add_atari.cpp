// SPDX-License-Identifier: MIT
#include "tarl/envs/atari/ale/ale_emulator.h"
#include "tarl/envs/atari/ale/roms.h"
#include "tarl/envs/atari/atari_env.h"
#include "tarl/envs/atari/games.h"
#include "tarl/envs/registry.h"

namespace tarl::envs {

namespace {

Entry entry(const std::string& game, std::string name, std::string alias, double sticky) {
  Entry entry;
  entry.name = std::move(name);
  entry.aliases = {std::move(alias)};
  entry.obs = rl::ObsKind::kBytes;
  entry.sticky_actions = sticky;
  entry.spec = [game, full_name = entry.name] {
    return atari::make_spec(full_name, atari::action_count(game));
  };
  entry.title = entry.spec().title + (sticky > 0 ? ", sticky" : "");
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
    const std::string rom(game);
    registry.add(entry(rom, atari::plain_name(game), atari::plain_alias(game), 0));
    registry.add(entry(rom, atari::sticky_name(game), atari::sticky_alias(game), atari::kStickyV5));
  }
}

}  // namespace tarl::envs
