// SPDX-License-Identifier: MIT
#include "tarl/agents/sac.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <string>

#include "tarl/agents/actor_critic/run_defaults.h"
#include "tarl/agents/registry.h"
#include "tarl/core/error.h"
#include "tarl/nn/kernels/kernels.h"
#include "tarl/nn/vector_math.h"

namespace tarl::agents {

namespace {

actor_critic::Actor::Shape actor_shape(const SacConfig& config, int action, int max_rows) {
  actor_critic::Actor::Shape shape;
  shape.hidden = config.net_arch;
  shape.heads = {{"mu", action}, {"log_std", action}};
  shape.learning_rate = config.learning_rate;
  shape.max_rows = max_rows;
  return shape;
}

actor_critic::Critics::Shape critics_shape(const SacConfig& config, int max_rows) {
  actor_critic::Critics::Shape shape;
  shape.hidden = config.net_arch;
  shape.learning_rate = config.learning_rate;
  shape.loss_scale = 0.5;
  shape.clipped = config.alignment_target == AlignmentTarget::kClipped;
  shape.max_rows = max_rows;
  return shape;
}

nn::Optimizer adam(const SacConfig& config) {
  return nn::Optimizer({.kind = nn::OptimizerKind::kAdam, .learning_rate = config.learning_rate});
}

nn::ParameterLayout one_number(const std::string& name) {
  nn::ParameterLayout layout;
  layout.add_vector(name, {1});
  return layout;
}

}  // namespace

SacAgent::SacAgent(const SacConfig& config, const rl::ObsSpec& obs, const rl::ActionSpec& action,
                   int max_rows, Rng init, Team& team)
    : ActorCritic("sac", obs, action, actor_shape(config, action.size, max_rows),
                  critics_shape(config, max_rows), init, team),
      entropy_(entropy_coefficient(config)),
      target_entropy_(config.target_entropy),
      alpha_layout_(one_number("log_alpha")),
      alpha_optimizer_(adam(config)),
      log_alpha_(nn::Parameters::trained(alpha_layout_, alpha_optimizer_.states(), arena_)),
      next_(action_, max_rows, arena_),
      policy_(action_, max_rows, arena_),
      next_entropy_(static_cast<std::size_t>(max_rows)),
      row_alpha_(static_cast<std::size_t>(max_rows)) {
  require(!std::isnan(target_entropy_), "settings of SAC that are not completed");
  *log_alpha_.values() = static_cast<float>(std::log(entropy_.initial));
}

double SacAgent::bytes_needed(const SacConfig& config, const rl::ObsSpec& obs,
                              const rl::ActionSpec& action, int max_rows) {
  nn::Arena arena = nn::Arena::counting();
  count_memory(obs, action, actor_shape(config, action.size, max_rows),
               critics_shape(config, max_rows), arena);
  nn::Parameters::trained(one_number("log_alpha"), adam(config).states(), arena);
  SquashedGaussian::count_memory(action.size, max_rows, arena);
  SquashedGaussian::count_memory(action.size, max_rows, arena);
  return static_cast<double>(arena.bytes());
}

double SacAgent::alpha() const {
  return std::exp(double{*log_alpha_.values()});
}

void SacAgent::act(std::span<const std::byte> obs, int n, const rl::ActMode& mode,
                   std::span<Rng> streams, std::span<rl::Action> out) {
  actor_.act(obs, n, team_, [&](std::size_t row, const float* heads) {
    choose(heads, mode, streams[row], out[row]);
  });
}

void SacAgent::choose(const float* heads, const rl::ActMode& mode, Rng& stream,
                      rl::Action& out) const {
  if (!mode.explore) {
    policy_.mean_action(heads, out.values.data());
    return;
  }
  for (int k = 0; k < action_; ++k) {
    out.values[static_cast<std::size_t>(k)] =
        policy_.sampled_action(heads, k, static_cast<float>(stream.normal()));
  }
}

void SacAgent::set_rate_share(double share) {
  ActorCritic::set_rate_share(share);
  alpha_optimizer_.set_rate_share(share);
}

void SacAgent::use_noise(std::span<const float> next, std::span<const float> policy) {
  given_next_ = next;
  given_policy_ = policy;
}

void SacAgent::fill_noise(const actor_critic::NormalRows& drawn, std::span<const float> given,
                          Range rows, const int* source, nn::Rows out) const {
  if (given.empty()) {
    drawn.fill(rows, source, out);
    return;
  }
  const nn::ConstRows from(given.data(), action_);
  for (int i = rows.begin; i < rows.end; ++i) {
    std::memcpy(out.row(i), from.row(source != nullptr ? source[i] : i),
                static_cast<std::size_t>(action_) * sizeof(float));
  }
}

const float* SacAgent::choose_next(const actor_critic::NormalRows& noise, Range rows) {
  fill_noise(noise, given_next_, rows, nullptr, next_.noise());
  actor_.decide(actor_.group().online(), critics_.next_x(), rows);
  next_.sample(actor_.heads(), rows, critics_.next_x(), obs_);
  const auto temperature = static_cast<float>(alpha());
  for (int row = rows.begin; row < rows.end; ++row) {
    const auto at = static_cast<std::size_t>(row);
    next_entropy_[at] = temperature * next_.log_prob()[at];
  }
  return next_entropy_.data();
}

void SacAgent::sync_target(double tau) {
  critics_.group().mix_target(tau);
}

double SacAgent::update_flops(int candidates, int kept, bool with_online_target) const {
  const double passes = with_online_target ? 3 : 2;
  return 2 * (candidates * (actor_.forward_work() + passes * critics_.forward_work()) +
              kept * (critics_.backward_work() + actor_.forward_work() + critics_.forward_work() +
                      critics_.gradient_work() + actor_.backward_work()));
}

void add_sac(Registry& registry) {
  Entry sac =
      entry<SacAgent, SacConfig>("sac", "soft actor-critic, two critics", Actions::kContinuous);
  sac.policy_tensors = PolicyTensors::kActor;
  sac.defaults = actor_critic::run_defaults();
  sac.short_run = {"policy.net_arch=[32, 32]"};
  sac.in_selftest = true;
  sac.critics = [](const Settings&) { return 2; };
  sac.complete = [](Settings& settings, rl::ObsKind, int action_size) {
    settings.as<SacConfig>() = completed(settings.as<SacConfig>(), action_size);
  };
  registry.add(std::move(sac));
}

}  // namespace tarl::agents
