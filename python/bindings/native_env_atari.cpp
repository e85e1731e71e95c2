// SPDX-License-Identifier: MIT
//
// Atari on ale-py: the emulator is the user's package, called through Python; envs/atari makes the
// observations, as for the C++ emulator.
#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "bindings/native_env.h"
#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include "tarl/core/error.h"
#include "tarl/core/fields.h"
#include "tarl/envs/atari/atari_env.h"
#include "tarl/envs/atari/games.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace tarl::python {

namespace {

// An ale_py.ALEInterface with a game loaded. Its colours are learned from screens, since ale-py
// does not expose its palette. The state is that of atari::AleEmulator, which explains why.
class Console final : public envs::atari::Emulator {
 public:
  // Requires the GIL.
  Console(std::string game, nb::object ale) : game_(std::move(game)), ale_(std::move(ale)) {
    for (const nb::handle action : ale_.attr("getMinimalActionSet")()) {
      actions_.push_back(nb::cast<int>(action.attr("value")));
    }
    std::tie(height_, width_) = nb::cast<std::tuple<int, int>>(ale_.attr("getScreenDims")());
    const nb::object array =
        nb::module_::import_("numpy").attr("zeros")(nb::make_tuple(height_, width_), "uint8");
    act_ = ale_.attr("act");
    draw_ = ale_.attr("getScreen");
    screen_array_ = array;
    screen_ = nb::cast<nb::ndarray<std::uint8_t, nb::c_contig, nb::device::cpu>>(array);
    before_reset_ = serialized();
  }

  ~Console() override {
    const nb::gil_scoped_acquire python;
    for (nb::object* held : {&act_, &draw_, &screen_array_, &ale_}) held->reset();
    screen_ = {};
  }

  const std::string& game() const override { return game_; }

  std::span<const int> actions() const override { return actions_; }

  void reset() override {
    const nb::gil_scoped_acquire python;
    before_reset_ = serialized();
    played_.clear();
    started_ = true;
    ale_.attr("reset_game")();
    drawn_ = false;
  }

  int act(int action) override {
    const nb::gil_scoped_acquire python;
    played_.push_back(static_cast<std::uint8_t>(action));
    drawn_ = false;
    return nb::cast<int>(act_(action));
  }

  bool game_over() const override {
    const nb::gil_scoped_acquire python;
    return nb::cast<bool>(ale_.attr("game_over")());
  }

  int lives() const override {
    const nb::gil_scoped_acquire python;
    return nb::cast<int>(ale_.attr("lives")());
  }

  std::span<const std::uint8_t> screen() const override {
    if (!drawn_) draw();
    return {screen_.data(), screen_.size()};
  }

  int height() const override { return height_; }

  int width() const override { return width_; }

  const envs::atari::Palette& palette() const override { return palette_; }

  void save(StateWriter& out) const override {
    out.put("game", game_);
    out.put("started", std::uint8_t{started_});
    out.put("before_reset", before_reset_);
    out.put("played", played_);
  }

  void load(const StateReader& in) override {
    std::string game;
    in.get("game", game);
    if (game != game_) {
      throw Error("the saved state is of the game '" + game + "', not of '" + game_ + "'");
    }
    std::uint8_t started = 0;
    in.get("started", started);
    in.get("before_reset", before_reset_);
    started_ = started != 0;
    played_ = in.get_vector<std::uint8_t>("played");
    const nb::gil_scoped_acquire python;
    const nb::object state = nb::module_::import_("ale_py").attr("ALEState");
    ale_.attr("restoreState")(state(nb::bytes(before_reset_.data(), before_reset_.size())));
    drawn_ = false;
    if (!started_) return;
    ale_.attr("reset_game")();
    for (const std::uint8_t action : played_) act_(static_cast<int>(action));
  }

 private:
  std::string serialized() const {
    const nb::object state = ale_.attr("cloneState")("include_rng"_a = true);
    const nb::bytes bytes(state.attr("serialize")());
    return {bytes.c_str(), bytes.size()};
  }

  void draw() const {
    const nb::gil_scoped_acquire python;
    draw_(screen_array_);
    drawn_ = true;
    // A screen is mostly runs of one colour, which are looked up once.
    std::uint64_t last = 0;
    bool first = true;
    for (std::size_t at = 0; at + sizeof last <= screen_.size(); at += sizeof last) {
      std::uint64_t word = 0;
      std::memcpy(&word, screen_.data() + at, sizeof word);
      if (word == last && !first) continue;
      last = word;
      first = false;
      const auto pixels = std::span(screen_.data() + at, sizeof word);
      if (!std::ranges::all_of(pixels, [&](std::uint8_t pixel) { return known_[pixel]; })) {
        learn_colours();
      }
    }
  }

  void learn_colours() const {
    using Colours =
        nb::ndarray<const std::uint8_t, nb::shape<-1, -1, 3>, nb::c_contig, nb::device::cpu>;
    const auto colours = nb::cast<Colours>(ale_.attr("getScreenRGB")());
    require(colours.size() == 3 * screen_.size(), "colours of another picture");
    for (std::size_t i = 0; i < screen_.size(); ++i) {
      const std::uint8_t pixel = screen_.data()[i];
      const std::uint8_t* colour = colours.data() + 3 * i;
      palette_[pixel] = {colour[0], colour[1], colour[2]};
      known_[pixel] = true;
    }
  }

  std::string game_;
  nb::object ale_, act_, draw_, screen_array_;
  std::vector<int> actions_;
  int height_ = 0;
  int width_ = 0;
  nb::ndarray<std::uint8_t, nb::c_contig, nb::device::cpu> screen_;  // of screen_array_
  mutable bool drawn_ = false;
  mutable envs::atari::Palette palette_{};
  mutable std::array<bool, 256> known_{};

  bool started_ = false;
  std::string before_reset_;          // ALE's saved state
  std::vector<std::uint8_t> played_;  // actions since, one per frame
};

// A Python object that C++ may release without the GIL.
std::shared_ptr<nb::object> shared(nb::object object) {
  return {new nb::object(std::move(object)), [](nb::object* held) {
            const nb::gil_scoped_acquire python;
            delete held;
          }};
}

// `make_ale(game, seed)` gives an ALEInterface with the game loaded and no sticky actions.
Task atari_task(const std::string& game, double sticky, nb::object make_ale) {
  const auto games = envs::atari::games();
  if (!std::ranges::binary_search(games, game)) {
    const std::vector<std::string> known(games.begin(), games.end());
    throw UsageError("no Atari game is called '" + game + "'" + did_you_mean(game, known));
  }
  envs::Entry entry;
  entry.name = envs::atari::plain_name(game);
  entry.obs = rl::ObsKind::kBytes;
  entry.sticky_actions = sticky;
  entry.make = [game, name = entry.name, make = shared(std::move(make_ale))](
                   const envs::EnvConfig& config, Rng rng) {
    const nb::gil_scoped_acquire python;
    const auto seed = static_cast<std::uint32_t>(rng.fork("emulator").bits());
    auto console = std::make_unique<Console>(game, (*make)(game, seed));
    envs::atari::GameSettings settings;
    settings.sticky = config.sticky_actions;
    return std::make_unique<envs::atari::AtariEnv>(name, std::move(console), settings, rng);
  };
  return Task(entry, entry.completed({}));
}

// (name, game, sticky actions) of every environment.
std::vector<std::tuple<std::string, std::string, double>> atari_environments() {
  std::vector<std::tuple<std::string, std::string, double>> all;
  for (const std::string_view game : envs::atari::games()) {
    all.emplace_back(envs::atari::plain_name(game), game, 0);
    all.emplace_back(envs::atari::sticky_name(game), game, envs::atari::kStickyV5);
  }
  return all;
}

}  // namespace

void bind_atari(nb::module_& module) {
  module.def("atari_task", atari_task, "game"_a, "sticky_actions"_a, "make_ale"_a);
  module.def("atari_environments", atari_environments);
}

}  // namespace tarl::python
