// SPDX-License-Identifier: MIT
#include "tarl/fleet/minatar_dqn/specify.h"

#include <algorithm>

#include "tarl/agents/dqn.h"
#include "tarl/agents/dqn_network.h"
#include "tarl/core/error.h"
#include "tarl/envs/minatar/asterix.h"
#include "tarl/envs/minatar/breakout.h"
#include "tarl/envs/minatar/freeway.h"
#include "tarl/envs/minatar/seaquest.h"
#include "tarl/envs/minatar/space_invaders.h"
#include "tarl/fleet/minatar_dqn/cuda/fp16/can_run.h"
#include "tarl/nn/bit_encoder.h"
#include "tarl/train/extend.h"
#include "tarl/train/scorer.h"

namespace tarl::fleet {

namespace {

using train::RunConfig;

static_assert(kMaps == nn::BitEncoder::kMaps);

struct GameFacts {
  const char* name;
  Game game;
  int channels;
};

template <class Rules>
constexpr GameFacts facts(Game game) {
  return {Rules::kName, game, Rules::kChannels};
}

constexpr GameFacts kGames[] = {
    facts<envs::minatar::Asterix>(Game::kAsterix),
    facts<envs::minatar::Breakout>(Game::kBreakout),
    facts<envs::minatar::Freeway>(Game::kFreeway),
    facts<envs::minatar::SpaceInvaders>(Game::kSpaceInvaders),
    facts<envs::minatar::Seaquest>(Game::kSeaquest),
};

constexpr const char* kAllActionsSuffix = "-v0";

const GameFacts* find_game(const std::string& env) {
  for (const GameFacts& game : kGames) {
    const std::string name = std::string("minatar/") + game.name;
    if (env == name || env == name + kAllActionsSuffix) return &game;
  }
  return nullptr;
}

const agents::DqnConfig& dqn_of(const RunConfig& config) {
  return config.agent.as<agents::DqnConfig>();
}

agents::QNetwork network_of(const agents::DqnConfig& config, const NetPlan& net) {
  return {config, board_of(net), net.actions, nn::Padding::kNone};
}

NetPlan make_net(const RunConfig& config, int channels, int actions) {
  NetPlan net;
  net.channels = channels;
  net.actions = actions;
  net.dueling = dqn_of(config).dueling ? 1 : 0;
  const agents::QNetwork network = network_of(dqn_of(config), net);
  const auto place = [](std::size_t at) { return static_cast<std::int32_t>(at); };
  net.conv_weight = place(network.layout().tensors().at(0).offset);
  net.conv_bias = place(network.layout().tensors().at(1).offset);
  for (const nn::Linear& layer : network.layers()) {
    net.layer[net.layers++] = {layer.in, layer.out, place(layer.weight), place(layer.bias)};
  }
  net.size = place(network.layout().size());
  return net;
}

OptimizerPlan make_optimizer(const agents::DqnConfig& config) {
  return plan_of({.kind = config.optimizer,
                  .learning_rate = config.learning_rate,
                  .alpha = config.rmsprop_alpha,
                  .rmsprop_eps = config.rmsprop_eps,
                  .centered = config.rmsprop_centered,
                  .beta1 = config.adam_beta1,
                  .beta2 = config.adam_beta2,
                  .adam_eps = config.adam_eps});
}

void set_replay(const RunConfig& config, AgentSpec& spec) {
  const replay::ReplayConfig replay = config.replay_in_use();
  spec.replay = replay.kind;
  spec.priority_alpha = replay.kind == ReplayKind::kAlignment ? replay.kappa : replay.alpha;
  spec.omega = replay.omega;
  std::ranges::copy(replay::power_series(spec.omega), spec.omega_over);
  spec.beta = replay.beta;
  spec.priority_eps = replay.eps;
  spec.draw = replay.draw;
}

void set_schedules(const RunConfig& config, AgentSpec& spec) {
  spec.steps = train::steps_of_schedules(config);
  spec.learning_starts = config.learning_starts;
  spec.train_freq = config.train_freq;
  spec.gradient_steps = config.gradient_steps;
  spec.target_interval = config.target_update_interval;
  spec.capacity = config.buffer_size;
  spec.gamma = config.gamma;
  spec.tau = config.tau;
  spec.eps_initial = config.exploration_initial_eps;
  spec.eps_final = config.exploration_final_eps;
  spec.eps_fraction = config.exploration_fraction;
  spec.eval_count = config.eval.count;
  spec.eval_episodes = static_cast<std::int32_t>(config.eval.episodes);
  spec.eval_epsilon = config.eval.epsilon;
}

void set_scores(const RunConfig& config, AgentSpec& spec) {
  spec.needs_scores = config.needs_scores() ? 1 : 0;
  spec.mode = config.align.mode;
  spec.kappa = config.align.kappa;
  if (config.uses_scores()) {
    spec.score = train::find_score(config.align.score).kind;
    spec.terminals = config.align.terminals;
    spec.terminal_share =
        config.align.terminals_by_score() ? kShareOfScore : config.align.terminal_share;
  }
  spec.score_key = train::score_stream(seeded(static_cast<std::uint64_t>(config.seed))).key;
}

// Settings that only the CPU supports.
std::string why_not_settings(const RunConfig& config) {
  if (config.n_envs != 1) return "a fleet needs n_envs = 1";
  if (config.n_steps != 1) return "a fleet needs n_steps = 1";
  if (config.eval.count == 0) return "a fleet needs eval.count of at least 1";
  if (config.learning_rate_schedule != train::Schedule::kConstant) {
    return "a fleet has only learning_rate_schedule = constant";
  }
  if (config.normalize.any()) return "a fleet has no normalize.obs or normalize.reward";
  if (config.log.every != 0) return "a fleet logs at evaluations: log.every = 0";
  if (train::find_score(config.align.score).kind == align::ScoreKind::kForeign) {
    return "a fleet has no align.score = " + config.align.score + ", only the built-in ones";
  }
  return "";
}

std::string why_not_blocks(const RunConfig& config) {
  const std::int64_t blocks = config.fleet.blocks;
  if (blocks != 1 && blocks != 2 && blocks != 4 && blocks != 8) {
    return "fleet.blocks is 1, 2, 4 or 8";
  }
  if (blocks > 1 && (config.fleet.precision != Precision::kFp16 ||
                     config.replay_in_use().kind != replay::Kind::kUniform ||
                     config.batch_size + config.oversampling() > 64)) {
    return "fleet.blocks above 1 needs fleet.precision = fp16, uniform replay and at most 64 "
           "candidates per update";
  }
  return "";
}

}  // namespace

std::string why_not_minatar_dqn(const RunConfig& config) {
  if (!config.algorithm().agent().makes<agents::DqnAgent>()) {
    return "a fleet runs dqn and ddqn, not " + config.algorithm().base;
  }
  if (find_game(config.env) == nullptr) return "a fleet plays MinAtar, not " + config.env;
  const std::string beyond = why_not_settings(config);
  if (!beyond.empty()) return beyond;
  if (config.batch_size + config.oversampling() > kMaxCandidates) {
    return "a fleet draws at most " + std::to_string(kMaxCandidates) + " candidates per update";
  }
  if (config.eval.episodes > kMaxEvalEpisodes) {
    return "a fleet plays at most " + std::to_string(kMaxEvalEpisodes) + " episodes per evaluation";
  }
  const auto& hidden = dqn_of(config).net_arch;
  if (hidden.size() > kMaxHidden || *std::max_element(hidden.begin(), hidden.end()) > 1024) {
    return "a fleet has at most " + std::to_string(kMaxHidden) + " hidden layers of at most 1024";
  }
  if (config.fleet.precision == Precision::kFp16) {
    RunConfig plain = config;
    plain.fleet.precision = Precision::kF32;
    plain.fleet.blocks = 1;
    const std::string reason = why_not_minatar_dqn(plain);
    if (!reason.empty()) return reason;
    const std::string missing = why_not_fp16(make_spec(plain));
    if (!missing.empty()) return "fleet.precision = fp16 has " + missing + "; use tf32 or f32";
  }
  const std::string blocks = why_not_blocks(config);
  if (!blocks.empty()) return blocks;
  if (config.buffer_size > 8'000'000) return "a fleet stores at most 8e6 transitions per run";
  return "";
}

AgentSpec make_spec(const RunConfig& config) {
  require(why_not_minatar_dqn(config).empty(), "no fleet can run this config");
  const GameFacts& game = *find_game(config.env);
  const auto env = envs::registry().find(config.env).make(config.env_config, Rng{});
  AgentSpec spec;
  spec.game = game.game;
  spec.minimal_actions = config.env.ends_with(kAllActionsSuffix) ? 0 : 1;
  spec.ramping = config.env_config.ramping ? 1 : 0;
  spec.obs_bytes = static_cast<std::int32_t>(env->spec().obs.bytes());
  spec.sticky = config.env_config.sticky_actions;
  spec.eval_step_limit = env->spec().eval_step_limit;
  set_schedules(config, spec);
  spec.batch = static_cast<std::int32_t>(config.batch_size);
  spec.candidates = spec.batch + config.oversampling();
  set_scores(config, spec);
  spec.skip_nonfinite = config.on_nan == train::OnNan::kSkip ? 1 : 0;
  spec.blocks = static_cast<std::int32_t>(config.fleet.blocks);
  spec.net = make_net(config, game.channels, env->spec().action.count);
  spec.double_q = dqn_of(config).double_q ? 1 : 0;
  spec.loss = dqn_of(config).loss;
  spec.max_grad_norm = dqn_of(config).max_grad_norm;
  spec.optimizer = make_optimizer(dqn_of(config));
  set_replay(config, spec);
  return spec;
}

rl::ObsSpec board_of(const NetPlan& net) {
  return {rl::ObsKind::kBits, net.channels, envs::minatar::kSide, envs::minatar::kSide};
}

nn::ParameterLayout layout_of(const NetPlan& net) {
  agents::DqnConfig config;
  config.dueling = net.dueling != 0;
  for (int l = 0; l + 1 < net.layers; ++l) config.net_arch.push_back(net.layer[l].out);
  return network_of(agents::completed(config, rl::ObsKind::kBits), net).layout();
}

nn::Optimizer optimizer_of(const OptimizerPlan& plan) {
  nn::OptimizerConfig config;
  config.kind = plan.adam != 0 ? nn::OptimizerKind::kAdam : nn::OptimizerKind::kRmsprop;
  config.centered = plan.centered != 0;
  return nn::Optimizer(config);
}

}  // namespace tarl::fleet
