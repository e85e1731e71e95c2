// SPDX-License-Identifier: MIT
#include "tarl/envs/atari/ale/ale_emulator.h"

#include <numeric>

#include <ale/ale_interface.hpp>
#include <ale/common/ColourPalette.hpp>
#include <ale/version.hpp>

#include "tarl/core/error.h"

namespace tarl::envs::atari {

namespace {

// The ALE writes its banner and every setting to stderr.
void silence_ale() {
  [[maybe_unused]] static const bool silent = [] {
    ale::Logger::setMode(ale::Logger::Error);
    return true;
  }();
}

}  // namespace

AleEmulator::AleEmulator(std::string game, const std::filesystem::path& rom, std::uint32_t seed)
    : game_(std::move(game)) {
  silence_ale();
  ale_ = std::make_unique<ale::ALEInterface>();
  ale_->setInt("random_seed", static_cast<int>(seed & 0x7FFFFFFFU));
  ale_->setFloat("repeat_action_probability", 0.0F);
  ale_->loadROM(rom);
  for (const ale::Action action : ale_->getMinimalActionSet()) actions_.push_back(action);
  read_palette();
  before_reset_ = ale_->cloneState(true).serialize();
}

std::string AleEmulator::library_version() {
  return ALE_VERSION;
}

AleEmulator::~AleEmulator() = default;

void AleEmulator::read_palette() {
  std::array<std::uint8_t, 256> numbers{};
  std::iota(numbers.begin(), numbers.end(), std::uint8_t{0});
  std::vector<unsigned char> colours;
  ale_->theOSystem->colourPalette().applyPaletteRGB(colours, numbers.data(), numbers.size());
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    palette_[i] = {colours[3 * i], colours[3 * i + 1], colours[3 * i + 2]};
  }
  // Brightness stands beside each even number; pictures have no odd ones.
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    brightness_[i] = static_cast<std::uint8_t>(
        ale_->theOSystem->colourPalette().getRGB(static_cast<int>(i | 1)) & 0xFF);
  }
}

void AleEmulator::reset() {
  before_reset_ = ale_->cloneState(true).serialize();
  played_.clear();
  started_ = true;
  ale_->reset_game();
}

int AleEmulator::act(int action) {
  played_.push_back(static_cast<std::uint8_t>(action));
  return ale_->act(static_cast<ale::Action>(action));
}

bool AleEmulator::game_over() const {
  return ale_->game_over();
}

int AleEmulator::lives() const {
  return ale_->lives();
}

std::span<const std::uint8_t> AleEmulator::screen() const {
  const ale::ALEScreen& screen = ale_->getScreen();
  return {screen.getArray(), screen.arraySize()};
}

int AleEmulator::height() const {
  return static_cast<int>(ale_->getScreen().height());
}

int AleEmulator::width() const {
  return static_cast<int>(ale_->getScreen().width());
}

std::span<const std::uint8_t> AleEmulator::ram() const {
  return {ale_->getRAM().array(), ale_->getRAM().size()};
}

void AleEmulator::save(StateWriter& out) const {
  out.put("game", game_);
  out.put("started", std::uint8_t{started_});
  out.put("before_reset", before_reset_);
  out.put("played", played_);
}

void AleEmulator::load(const StateReader& in) {
  std::string game;
  in.get("game", game);
  if (game != game_) {
    throw Error("the saved state is of the game '" + game + "', not of '" + game_ + "'");
  }
  std::uint8_t started = 0;
  in.get("started", started);
  std::string before_reset;
  in.get("before_reset", before_reset);
  ale_->restoreState(ale::ALEState(before_reset));
  before_reset_ = std::move(before_reset);
  started_ = started != 0;
  played_ = in.get_vector<std::uint8_t>("played");
  if (!started_) return;
  ale_->reset_game();
  for (const std::uint8_t action : played_) ale_->act(static_cast<ale::Action>(action));
}

}  // namespace tarl::envs::atari
