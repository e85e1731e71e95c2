// SPDX-License-Identifier: MIT
#include "tarl/agents/sac.h"

#include <cstring>

#include "tarl/agents/actor_critic/run_defaults.h"
#include "tarl/agents/policy_math.h"
#include "tarl/agents/registry.h"
#include "tarl/nn/kernels/kernels.h"

namespace tarl::agents {

actor_critic::Shapes shapes_of(const SacConfig& config, int actions, int max_rows) {
  actor_critic::Shapes shapes;
  shapes.actor.hidden = shapes.critics.hidden = config.net_arch;
  shapes.actor.learning_rate = shapes.critics.learning_rate = config.learning_rate;
  shapes.actor.max_rows = shapes.critics.max_rows = max_rows;
  shapes.actor.heads = {{"mu", actions}, {"log_std", actions}};
  shapes.critics.loss_scale = 0.5;
  shapes.critics.clipped = config.alignment_target == AlignmentTarget::kClipped;
  return shapes;
}

SacAgent::SacAgent(const SacConfig& config, const rl::ObsSpec& obs, const rl::ActionSpec& action,
                   int max_rows, Rng init, Team& team)
    : ActorCritic("sac", obs, action, shapes_of(config, action.size, max_rows), init, team),
      temperature_(config, arena_),
      next_(action_, max_rows, arena_),
      policy_(action_, max_rows, arena_),
      next_entropy_(static_cast<std::size_t>(max_rows)),
      row_alpha_(static_cast<std::size_t>(max_rows)) {}

double SacAgent::bytes_needed(const SacConfig& config, const rl::ObsSpec& obs,
                              const rl::ActionSpec& action, int max_rows) {
  nn::Arena arena = nn::Arena::counting();
  count_memory(obs, action, shapes_of(config, action.size, max_rows), arena);
  Temperature::count_memory(config, arena);
  SquashedGaussian::count_memory(action.size, max_rows, arena);
  SquashedGaussian::count_memory(action.size, max_rows, arena);
  return static_cast<double>(arena.bytes());
}

void SacAgent::act(std::span<const std::byte> obs, int n, const rl::ActMode& mode,
                   std::span<Rng> streams, std::span<rl::Action> out) {
  actor_.act(obs, n, team_, [&](std::size_t row, const float* heads) {
    choose_squashed(heads, action_, mode.explore, streams[row], out[row].values.data());
  });
}

void SacAgent::set_rate_share(double share) {
  ActorCritic::set_rate_share(share);
  temperature_.set_rate_share(share);
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
  const auto temperature = static_cast<float>(temperature_.alpha());
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
  sac.on_devices = sac.in_selftest = true;
  sac.critics = [](const Settings&) { return 2; };
  sac.complete = [](Settings& settings, rl::ObsKind, int action_size) {
    settings.as<SacConfig>() = completed(settings.as<SacConfig>(), action_size);
  };
  registry.add(std::move(sac));
}

}  // namespace tarl::agents
