// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include "tarl/align/score.h"
#include "tarl/align/terminals.h"
#include "tarl/fleet/optimizer_plan.h"
#include "tarl/nn/loss.h"
#include "tarl/replay/kinds.h"
#include "tarl/replay/reaper_rows.h"
#include "tarl/train/precision.h"

namespace tarl::fleet {

// Limits of the program; a run beyond them is refused with the reason.
inline constexpr int kMaxObsBytes = 128;     // Seaquest: 1000 bits
inline constexpr int kMaxActions = 6;        // the most of any MinAtar game
inline constexpr int kMaxHidden = 4;         // hidden layers
inline constexpr int kMaxCandidates = 256;   // m + b
inline constexpr int kMaxEvalEpisodes = 16;  // episodes of one evaluation
inline constexpr int kMaps = 16;             // output channels of the convolution
inline constexpr int kPositions = 64;        // 8 x 8 places of a 3x3 window on a 10x10 board
inline constexpr int kFeatures = kMaps * kPositions;
inline constexpr int kMaxBlocks = 8;  // thread blocks per agent

inline constexpr double kShareOfScore = -1;  // terminal_share: as many as the score would keep

enum class Game : std::int32_t { kAsterix, kBreakout, kFreeway, kSpaceInvaders, kSeaquest };
using ReplayKind = replay::Kind;

using train::Precision;

// One layer within a flat parameter array: weight (k, n) is at weight + k * out + n.
struct LayerPlan {
  std::int32_t in = 0, out = 0, weight = 0, bias = 0;
};

// Offsets of a network's parameters: conv [tap * channels + channel][16], then the layers. The last
// layer is the head; with dueling, its last output is the state value.
struct NetPlan {
  std::int32_t channels = 0;
  std::int32_t actions = 0;
  std::int32_t dueling = 0;
  std::int32_t conv_weight = 0, conv_bias = 0;
  std::int32_t layers = 0;
  LayerPlan layer[kMaxHidden + 1];
  std::int32_t size = 0;
};

// The constants of an agent: a RunConfig as plain data.
struct AgentSpec {
  Game game = Game::kBreakout;
  std::int32_t minimal_actions = 1;
  std::int32_t ramping = 1;
  std::int32_t obs_bytes = 0;
  double sticky = 0;
  std::int64_t eval_step_limit = 0;

  std::int64_t steps = 0, learning_starts = 0, train_freq = 1, gradient_steps = 1;
  std::int64_t target_interval = 1, capacity = 0;
  double gamma = 0, tau = 1;
  double eps_initial = 1, eps_final = 0, eps_fraction = 1;
  std::int64_t eval_count = 0;
  double eval_epsilon = 0;
  std::int32_t eval_episodes = 0;

  std::int32_t batch = 0;       // m
  std::int32_t candidates = 0;  // m + b
  std::int32_t needs_scores = 0;
  align::Mode mode = align::Mode::kFilter;
  align::ScoreKind score = align::ScoreKind::kPaper;
  align::Terminals terminals = align::Terminals::kScore;
  std::int32_t skip_nonfinite = 0;
  double kappa = 1;
  double terminal_share = 0;    // or kShareOfScore
  std::uint64_t score_key = 0;  // key of the stream of random scores
  std::int32_t blocks = 1;      // thread blocks per agent, at most kMaxBlocks

  NetPlan net;
  std::int32_t double_q = 0;
  nn::LossKind loss = nn::LossKind::kHuber;
  double max_grad_norm = 0;
  OptimizerPlan optimizer;

  ReplayKind replay = ReplayKind::kUniform;
  replay::Draw draw = replay::Draw::kIndependent;
  double priority_alpha = 0;  // exponent of the error or, with kAlignment, of the score
  double omega = 0, beta = 0, priority_eps = 0;
  double omega_over[replay::kRowOrder + 1] = {};  // replay::power_series
};

}  // namespace tarl::fleet
