// SPDX-License-Identifier: MIT
#include "tarl/envs/gymnasium_names.h"

#include "tarl/envs/atari/games.h"

namespace tarl::envs {

namespace {

struct NamePair {
  std::string_view name, gymnasium;
};

// A task that is the same in both versions has both names.
constexpr NamePair kNames[] = {
    {"box2d/bipedal_walker", "BipedalWalker-v3"},
    {"box2d/bipedal_walker_hardcore", "BipedalWalkerHardcore-v3"},
    {"box2d/lunar_lander", "LunarLander-v3"},
    {"box2d/lunar_lander_continuous", "LunarLanderContinuous-v3"},
    {"mujoco/ant", "Ant-v4"},
    {"mujoco/ant_v5", "Ant-v5"},
    {"mujoco/half_cheetah", "HalfCheetah-v4"},
    {"mujoco/half_cheetah", "HalfCheetah-v5"},
    {"mujoco/hopper", "Hopper-v4"},
    {"mujoco/hopper_v5", "Hopper-v5"},
    {"mujoco/humanoid", "Humanoid-v4"},
    {"mujoco/humanoid_standup", "HumanoidStandup-v4"},
    {"mujoco/humanoid_standup_v5", "HumanoidStandup-v5"},
    {"mujoco/humanoid_v5", "Humanoid-v5"},
    {"mujoco/inverted_double_pendulum", "InvertedDoublePendulum-v4"},
    {"mujoco/inverted_double_pendulum_v5", "InvertedDoublePendulum-v5"},
    {"mujoco/inverted_pendulum", "InvertedPendulum-v4"},
    {"mujoco/inverted_pendulum_v5", "InvertedPendulum-v5"},
    {"mujoco/pusher_v5", "Pusher-v5"},
    {"mujoco/reacher", "Reacher-v4"},
    {"mujoco/reacher_v5", "Reacher-v5"},
    {"mujoco/swimmer", "Swimmer-v4"},
    {"mujoco/swimmer", "Swimmer-v5"},
    {"mujoco/walker2d", "Walker2d-v4"},
    {"mujoco/walker2d_v5", "Walker2d-v5"},
};

}  // namespace

std::vector<std::string> gymnasium_aliases(std::string_view name) {
  std::vector<std::string> aliases;
  for (const NamePair& pair : kNames) {
    if (pair.name == name) aliases.emplace_back(pair.gymnasium);
  }
  return aliases;
}

std::vector<std::string> gymnasium_names(std::string_view prefix) {
  std::vector<std::string> names;
  for (const NamePair& pair : kNames) {
    if (pair.name.starts_with(prefix)) names.emplace_back(pair.gymnasium);
  }
  if (prefix != "atari/") return names;
  for (const std::string_view game : atari::games()) {
    names.push_back(atari::plain_alias(game));
    names.push_back(atari::sticky_alias(game));
  }
  return names;
}

}  // namespace tarl::envs
