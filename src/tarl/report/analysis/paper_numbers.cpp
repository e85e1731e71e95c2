// SPDX-License-Identifier: MIT
#include "tarl/report/analysis/paper_numbers.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "tarl/study/results/random_scores.h"

namespace tarl::report {

namespace {

using replay::Kind;

constexpr std::array<const char*, 10> kAtari{
    "atari/amidar",    "atari/battlezone",   "atari/bowling",      "atari/doubledunk",
    "atari/frostbite", "atari/kungfumaster", "atari/namethisgame", "atari/phoenix",
    "atari/qbert",     "atari/riverraid"};
constexpr std::array<double, 10> kAtariSteps{12.5e6, 12.5e6, 12.5e6, 12.5e6, 12.5e6,
                                             12.5e6, 12.5e6, 12.5e6, 12.5e6, 12.5e6};
constexpr std::array<double, 10> kAtariDdqn{0.325, 0.088, 0.035, 0.108, 0.077,
                                            0.239, 0.341, 0.113, 0.201, 0.216};
constexpr std::array<double, 10> kAtariAligned{0.414, 0.270, 0.193, 0.296, 0.338,
                                               0.298, 0.439, 0.255, 0.361, 0.363};
constexpr std::array<PaperRow, 2> kAtariRows{{
    {"DDQN", "ddqn", Kind::kUniform, 0, 1, kAtariDdqn},
    {"TA-DDQN", "ddqn", Kind::kUniform, 1, 1, kAtariAligned},
}};

constexpr std::array<const char*, 6> kControl{"mujoco/ant",     "box2d/bipedalwalker",
                                              "mujoco/hopper",  "mujoco/humanoid",
                                              "mujoco/swimmer", "mujoco/walker2d"};
constexpr std::array<double, 6> kControlSteps{1e6, 1e6, 1e6, 2e6, 1e6, 1e6};
constexpr std::array<double, 6> kControlSac{0.452, 0.657, 0.630, 0.660, 0.857, 0.587};
constexpr std::array<double, 6> kControlAligned{0.534, 0.784, 0.715, 0.733, 0.879, 0.583};
constexpr std::array<PaperRow, 2> kControlRows{{
    {"SAC", "sac", Kind::kUniform, 0, 1, kControlSac},
    {"TA-SAC", "sac", Kind::kUniform, 1, 1, kControlAligned},
}};

constexpr std::array<const char*, 4> kMinatar{"minatar/asterix", "minatar/breakout",
                                              "minatar/freeway", "minatar/spaceinvaders"};
constexpr std::array<double, 4> kMinatarSteps{2e6, 2e6, 2e6, 2e6};
constexpr std::array<std::array<double, 4>, 6> kReplay{{{0.078, 0.256, 0.467, 0.216},
                                                        {0.233, 0.329, 0.610, 0.288},
                                                        {0.049, 0.322, 0.347, 0.161},
                                                        {0.362, 0.419, 0.648, 0.301},
                                                        {0.072, 0.263, 0.405, 0.162},
                                                        {0.369, 0.336, 0.619, 0.251}}};
constexpr std::array<PaperRow, 6> kReplayRows{{
    {"DQN", "dqn", Kind::kUniform, 0, 1, kReplay[0]},
    {"TA-DQN", "dqn", Kind::kUniform, 1, 1, kReplay[1]},
    {"DQN + PER", "dqn", Kind::kPer, 0, 1, kReplay[2]},
    {"TA-PER", "dqn", Kind::kPer, 1, 1, kReplay[3]},
    {"DQN + ReaPER", "dqn", Kind::kReaper, 0, 1, kReplay[4]},
    {"TA-ReaPER", "dqn", Kind::kReaper, 1, 1, kReplay[5]},
}};

constexpr std::array<std::array<double, 4>, 6> kMargin{{{0.086, 0.504, 0.499, 0.275},
                                                        {0.105, 0.570, 0.529, 0.342},
                                                        {0.118, 0.564, 0.565, 0.306},
                                                        {0.217, 0.580, 0.616, 0.397},
                                                        {0.254, 0.632, 0.655, 0.353},
                                                        {0.539, 0.605, 0.728, 0.455}}};
constexpr std::array<PaperRow, 6> kMarginRows{{
    {"DQN", "dqn", Kind::kUniform, 0, 1, kMargin[0]},
    {"DQN (2m)", "dqn", Kind::kUniform, 0, 2, kMargin[1]},
    {"TA-DQN b=0.1m", "dqn", Kind::kUniform, 0.1, 1, kMargin[2]},
    {"TA-DQN b=0.5m", "dqn", Kind::kUniform, 0.5, 1, kMargin[3]},
    {"TA-DQN b=1.0m", "dqn", Kind::kUniform, 1, 1, kMargin[4]},
    {"TA-DQN b=3.0m", "dqn", Kind::kUniform, 3, 1, kMargin[5]},
}};

constexpr std::array<PaperTable, 4> kTables{{
    {6, "paper-replay", "MinAtar, replay strategies", kMinatar, kReplayRows, "2M steps, 5 seeds",
     kMinatarSteps, 5},
    {7, "paper-margin", "MinAtar, oversampling margin", kMinatar, kMarginRows, "2M steps, 5 seeds",
     kMinatarSteps, 5},
    {5, "paper-control", "Continuous control", kControl, kControlRows,
     "1M steps (Humanoid 2M), 5 seeds", kControlSteps, 5},
    {4, "paper-atari", "Atari-10", kAtari, kAtariRows, "50M frames; number of seeds not stated",
     kAtariSteps, 0},
}};

constexpr std::array<PaperCost, 2> kCosts{{
    {"ddqn", 3.29, "3.29 % (Atari, 4.63 h to 4.78 h a run)"},
    {"sac", 17.82, "17.82 % (SD 3.44, continuous control)"},
}};

}  // namespace

std::span<const PaperTable> paper_tables() {
  return kTables;
}

const PaperRow* paper_row(const PaperTable& table, const study::Algorithm& algorithm) {
  if (algorithm.aligned() && !algorithm.filters()) return nullptr;
  if (!algorithm.variant.empty() || !algorithm.align_variant.empty()) return nullptr;
  const auto found = std::find_if(table.rows.begin(), table.rows.end(), [&](const PaperRow& row) {
    return algorithm.base == row.base && algorithm.replay == row.replay &&
           std::fabs(algorithm.margin - row.margin) < 1e-9 &&
           std::fabs(algorithm.batch_ratio - row.batch_ratio) < 1e-9;
  });
  return found == table.rows.end() ? nullptr : &*found;
}

std::optional<std::size_t> paper_column(const PaperTable& table, std::string_view env) {
  const std::string key = study::environment_key(env);
  for (std::size_t i = 0; i < table.environments.size(); ++i) {
    if (key == table.environments[i]) return i;
  }
  return std::nullopt;
}

const PaperCost* paper_cost(std::string_view base) {
  const auto found = std::find_if(kCosts.begin(), kCosts.end(),
                                  [&](const PaperCost& cost) { return base == cost.base; });
  return found == kCosts.end() ? nullptr : &*found;
}

}  // namespace tarl::report
