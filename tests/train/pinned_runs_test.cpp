// SPDX-License-Identifier: MIT
//
// Short runs of every agent, replay, use of scores and family of environments, each pinned by a
// hash of the parameters it ends with. A change that is not meant to change results must not change
// these; one that does says so in its commit and replaces the hashes, which a failing test prints.
// MuJoCo and Box2D have one pin each for every processor; verified only on AMD, with and without
// the fused variants of the C library's functions.
#include <bit>
#include <ostream>

#include "support/temporary_folder.h"
#include <gtest/gtest.h>

#include "tarl/core/files.h"
#include "tarl/nn/instruction_set.h"
#include "tarl/train/loop.h"

namespace tarl::train {
namespace {

struct Pin {
  const char* name;
  const char* algo;
  const char* env;
  std::vector<std::string> set;
  std::uint64_t hash;
};

void PrintTo(const Pin& pin, std::ostream* out) {
  *out << pin.name;
}

const std::vector<std::string> kDiscrete = {"steps=360",
                                            "learning_starts=64",
                                            "train_freq=2",
                                            "batch_size=16",
                                            "buffer_size=200",
                                            "target_update_interval=50",
                                            "exploration_fraction=0.5",
                                            "eval.count=2",
                                            "eval.episodes=1"};
const std::vector<std::string> kContinuous = {
    "steps=160",       "learning_starts=40",       "batch_size=16",
    "buffer_size=120", "policy.net_arch=[24, 16]", "eval.count=1",
    "eval.episodes=1"};
const std::vector<std::string> kPixels = {
    "steps=80",     "learning_starts=40", "train_freq=4",
    "batch_size=4", "buffer_size=60",     "target_update_interval=20",
    "eval.count=1", "eval.episodes=1",    "eval.epsilon=1"};

const std::vector<Pin> kPins = {
    {"Dqn", "dqn", "minatar/breakout", {}, 0x104c3a44a70158cc},
    {"Ddqn", "ddqn", "minatar/asterix", {}, 0xd36553933a489ce5},
    {"TaDqn", "ta-dqn", "minatar/freeway", {}, 0x0a76db9d05f5a65c},
    {"TaDqnWideMargin", "ta-dqn", "minatar/breakout", {"align.margin=3"}, 0x3e794d74370f032e},
    {"TaDdqnPer", "ta-ddqn+per", "minatar/seaquest", {}, 0x07a9794ddf8f0314},
    {"TaDqnReaper", "ta-dqn+reaper", "minatar/space_invaders", {}, 0x4c14bc6d0f0d3af8},
    {"DqnPerStratified",
     "dqn+per",
     "classic/cartpole",
     {"replay.draw=stratified"},
     0x4cc4d0f3e91086f1},
    {"DqnReaper", "dqn+reaper", "classic/cartpole", {}, 0x4b7f6bef13a1dca9},
    {"Weight",
     "dqn",
     "minatar/breakout",
     {"align.mode=weight", "align.kappa=2"},
     0xc45d4ef9204b1373},
    {"Scale", "dqn", "minatar/breakout", {"align.mode=scale"}, 0xe963b7d10a69e60d},
    {"Prioritize", "dqn", "minatar/breakout", {"align.mode=prioritize"}, 0x107f8490d067d79e},
    {"RandomScore", "ta-dqn", "minatar/breakout", {"align.score=random"}, 0x01a25cb9b887eeb2},
    {"ExemptTerminals",
     "ta-dqn+per",
     "minatar/asterix",
     {"align.terminals=exempt"},
     0xf6f58563417db69b},
    {"DuelingNStepAdam",
     "ta-dqn",
     "classic/cartpole",
     {"dueling=true", "n_steps=3", "optimizer=adam", "loss=huber", "max_grad_norm=0.5"},
     0x1d33a10cdaf9daed},
    {"SeveralEnvironments", "ta-ddqn+per", "minatar/asterix", {"n_envs=3"}, 0xef9ba206f7601739},
    {"Sac", "sac", "classic/pendulum", {}, 0x5c653a6fda6e020f},
    {"TaSacPer", "ta-sac+per", "classic/pendulum", {}, 0x8f5a15c907e27733},
    {"Td3", "td3", "classic/pendulum", {}, 0xafcff9b9503cbc44},
    {"TaTd3Reaper", "ta-td3+reaper", "classic/pendulum", {}, 0x383f84d15ef08ad4},
    {"TaDdpg", "ta-ddpg", "classic/pendulum", {}, 0x16ef1290923f2f6c},
    {"TaSacMujoco", "ta-sac", "mujoco/hopper", {}, 0xc1b0ab1587670bf1},
    {"SacMujocoHumanoid", "sac", "mujoco/humanoid", {}, 0x5931a44f74f3d7c3},
    {"TaTd3Box2d", "ta-td3", "box2d/bipedal_walker", {}, 0x7a23cb0e3d72b096},
    {"TaDdqnAtari", "ta-ddqn", "atari/pong", {}, 0x7d109e2fadf28daa},
};

bool is_built(const std::string& env) {
  return envs::registry().entries().contains(env);
}

// Names, shapes and bytes of all tensors.
std::uint64_t hash_of(const Tensors& tensors) {
  std::uint64_t all = 0;
  for (const auto& [name, tensor] : tensors) {
    const std::uint64_t one = xxh3(tensor.bytes) ^ xxh3(std::as_bytes(std::span(name))) ^
                              xxh3(std::as_bytes(std::span(tensor.shape)));
    all = std::rotl(all, 7) ^ one;
  }
  return all;
}

std::vector<std::string> small_settings(const Pin& pin) {
  if (std::string_view(pin.env).starts_with("atari/")) return kPixels;
  return parse_algorithm(pin.algo).discrete() ? kDiscrete : kContinuous;
}

std::uint64_t run(const Pin& pin) {
  std::vector<std::string> set = small_settings(pin);
  set.insert(set.end(), pin.set.begin(), pin.set.end());
  const RunConfig config = resolve({.algo = pin.algo, .env = pin.env, .seed = "7", .set = set});
  const test::TemporaryFolder folder;
  Team team(1);
  store::RunLogs logs(folder.path(), {.env_id = config.env});
  Loop loop(config, team, logs);
  EXPECT_EQ(loop.run({.stop = {}, .progress = {}, .checkpoint = {}}), LoopResult::kFinished);
  EXPECT_GT(loop.learner().updates(), 0);
  return hash_of(loop.agent().parameters());
}

// Plain code emulates fused multiply-adds: seconds for each run with a convolutional network.
bool has_convolutions(const Pin& pin) {
  const std::string_view env = pin.env;
  return env.starts_with("minatar/") || env.starts_with("atari/");
}

class PinnedRuns : public ::testing::TestWithParam<Pin> {};

TEST_P(PinnedRuns, KeepTheirParameters) {
  const Pin& pin = GetParam();
  if (!is_built(pin.env)) GTEST_SKIP() << "built without " << pin.env;
  for (const std::string& set : nn::instruction_sets()) {
    if (set == "plain" && has_convolutions(pin)) continue;
    nn::use_instruction_set(set);
    const std::uint64_t hash = run(pin);
    EXPECT_EQ(hash, pin.hash) << std::hex << "with " << set << " the run ends with 0x" << hash;
  }
  nn::use_instruction_set("auto");
}

INSTANTIATE_TEST_SUITE_P(Every, PinnedRuns, ::testing::ValuesIn(kPins),
                         [](const auto& pin) { return std::string(pin.param.name); });

}  // namespace
}  // namespace tarl::train
