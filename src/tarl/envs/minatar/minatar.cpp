// SPDX-License-Identifier: MIT
#include <cstring>
#include <string>

#include "tarl/core/error.h"
#include "tarl/envs/minatar/asterix.h"
#include "tarl/envs/minatar/bit_canvas.h"
#include "tarl/envs/minatar/breakout.h"
#include "tarl/envs/minatar/draws.h"
#include "tarl/envs/minatar/freeway.h"
#include "tarl/envs/minatar/picture.h"
#include "tarl/envs/minatar/play_state.h"
#include "tarl/envs/minatar/seaquest.h"
#include "tarl/envs/minatar/space_invaders.h"
#include "tarl/envs/minatar/sticky_game.h"
#include "tarl/envs/registry.h"

namespace tarl::envs {

namespace minatar {

namespace {

constexpr double kStickyActions = 0.1;

// Long play is possible (a perfect Breakout never ends); training sets no limit.
constexpr std::int64_t kEvalStepLimit = 10'000;

enum class ActionSet { kMinimal, kAll };

template <class Game>
int action_count(ActionSet actions) {
  return actions == ActionSet::kMinimal ? Game::kActions : kAllActions;
}

template <class Game>
std::string title(ActionSet actions) {
  return "10x10x" + std::to_string(Game::kChannels) + " grid, " +
         std::to_string(action_count<Game>(actions)) + " actions";
}

template <class Game>
class MinatarEnvironment final : public rl::Environment {
 public:
  MinatarEnvironment(std::string name, ActionSet actions, const EnvConfig& config, Rng rng)
      : actions_(actions), sticky_(config.sticky_actions), rng_(rng) {
    spec_.name = std::move(name);
    spec_.title = title<Game>(actions);
    spec_.obs = {rl::ObsKind::kBits, Game::kChannels, kSide, kSide};
    spec_.action.count = action_count<Game>(actions);
    spec_.eval_step_limit = kEvalStepLimit;
    play_.game.ramping = config.ramping ? 1 : 0;
  }

  const rl::EnvSpec& spec() const override { return spec_; }

  void reset(std::span<std::byte> obs) override {
    RngDraws draws{rng_};
    play_.reset(draws);
    observe(obs);
  }

  rl::StepResult step(const rl::Action& action, std::span<std::byte> obs) override {
    require(action.index >= 0 && action.index < spec_.action.count, "no such action");
    const int id =
        actions_ == ActionSet::kMinimal ? Game::minimal_action(action.index) : action.index;
    RngDraws draws{rng_};
    const Outcome outcome = play_.step(id, sticky_, draws);
    observe(obs);
    rl::StepResult result;
    result.reward = result.score = static_cast<float>(outcome.reward);
    result.terminated = result.score_episode_over = outcome.terminal;
    return result;
  }

  void save(StateWriter& out) const override {
    save_play(std::as_bytes(std::span(&play_, 1)), rng_, out);
  }

  void load(const StateReader& in) override {
    load_play(in, std::as_writable_bytes(std::span(&play_, 1)), rng_);
  }

  std::optional<rl::Image> render(std::string&) const override { return picture(drawn()); }

  std::optional<rl::Image> picture_of(std::span<const std::byte> obs, std::string&) const override {
    Canvas canvas;
    require(obs.size() == sizeof(canvas.word), "observation of another size");
    std::memcpy(canvas.word, obs.data(), sizeof(canvas.word));
    return picture(canvas);
  }

 private:
  using Canvas = BitCanvas<Game::kChannels>;
  // The state is saved as its bytes, and equal states must give equal files.
  static_assert(std::has_unique_object_representations_v<StickyGame<Game>>);
  static_assert(std::is_trivially_copyable_v<StickyGame<Game>>);

  static rl::Image picture(const Canvas& canvas) {
    return draw_grid(Game::kChannels, [&](int row, int column, int channel) {
      return canvas.get((row * kSide + column) * Game::kChannels + channel);
    });
  }

  Canvas drawn() const {
    Canvas canvas;
    play_.game.render(canvas);
    return canvas;
  }

  void observe(std::span<std::byte> obs) const {
    const Canvas canvas = drawn();
    require(obs.size() == sizeof(canvas.word), "observation of another size");
    std::memcpy(obs.data(), canvas.word, sizeof(canvas.word));
  }

  rl::EnvSpec spec_;
  ActionSet actions_;
  double sticky_;
  StickyGame<Game> play_;
  Rng rng_;
};

template <class Game>
Entry entry(std::string name, const std::vector<std::string>& aliases, ActionSet actions) {
  auto make = [name, actions](const EnvConfig& config, Rng rng) {
    return std::make_unique<MinatarEnvironment<Game>>(name, actions, config, rng);
  };
  return {.name = std::move(name),
          .aliases = aliases,
          .title = title<Game>(actions),
          .make = std::move(make),
          .obs = rl::ObsKind::kBits,
          .sticky_actions = kStickyActions};
}

template <class Game>
void add_game(Registry& registry) {
  const std::string name = std::string("minatar/") + Game::kName;
  const std::string gym_name = std::string("MinAtar/") + Game::kGymName;
  registry.add(entry<Game>(name, {gym_name + "-v1", name + "-v1"}, ActionSet::kMinimal));
  registry.add(entry<Game>(name + "-v0", {gym_name + "-v0"}, ActionSet::kAll));
}

}  // namespace

}  // namespace minatar

void add_minatar(Registry& registry) {
  minatar::add_game<minatar::Asterix>(registry);
  minatar::add_game<minatar::Breakout>(registry);
  minatar::add_game<minatar::Freeway>(registry);
  minatar::add_game<minatar::SpaceInvaders>(registry);
  minatar::add_game<minatar::Seaquest>(registry);
}

}  // namespace tarl::envs
