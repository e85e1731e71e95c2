// SPDX-License-Identifier: MIT
#include "fleet/gpu/actor_critic_reference.h"

#include <algorithm>
#include <array>
#include <numeric>

#include "tarl/agents/td_target.h"
#include "tarl/align/align.h"

namespace tarl::fleet::test {

namespace {

using actor_critic::AgentPlan;
using Rows = std::vector<std::int32_t>;

ReferenceGroup group_of(const actor_critic::NetsImage& image) {
  return {{image.values.begin(), image.values.end()},
          {image.target.begin(), image.target.end()},
          std::vector<double>(image.values.size())};
}

Rows all_rows(int count) {
  Rows rows(static_cast<std::size_t>(count));
  std::iota(rows.begin(), rows.end(), 0);
  return rows;
}

// An update in its order: assess, keep, the critics, the actor, the targets.
class Update {
 public:
  Update(const AgentPlan& plan, const ReferenceInput& input, bool halves)
      : plan_(plan), input_(input), rounding_(halves) {
    out_.actor = group_of(input.numbers.actor);
    out_.critics = group_of(input.numbers.critics);
  }

  ReferenceUpdate run() {
    const Grid next = next_inputs();
    const Grid taken = inputs(0, plan_.obs + plan_.actions, all_rows(plan_.candidates));
    const std::vector<NetPass> q = critics(out_.critics.values, taken);
    judge(q, critics(out_.critics.target, next), critics(out_.critics.values, next));
    learn_critics(q);
    learn_actor();
    mix(out_.critics);
    mix(out_.actor);
    return std::move(out_);
  }

 private:
  double stored(std::int32_t row, int at) const {
    return static_cast<double>(
        input_.rows[static_cast<std::size_t>(row)][static_cast<std::size_t>(at)]);
  }

  // Numbers [first, first + count) of stored rows.
  Grid inputs(int first, int count, const Rows& rows) const {
    Grid x(static_cast<int>(rows.size()), count);
    for (int i = 0; i < x.rows; ++i) {
      for (int k = 0; k < count; ++k) {
        x.at(i, k) = stored(rows[static_cast<std::size_t>(i)], first + k);
      }
    }
    return x;
  }

  // Observations with room for actions.
  Grid with_actions(const Grid& obs) const {
    Grid x(obs.rows, plan_.obs + plan_.actions);
    for (int i = 0; i < obs.rows; ++i) {
      for (int k = 0; k < plan_.obs; ++k) x.at(i, k) = obs.at(i, k);
    }
    return x;
  }

  float noise(const std::vector<float>& of, int row, int k) const {
    return of[static_cast<std::size_t>(row * plan_.actions + k)];
  }

  std::vector<NetPass> critics(const std::vector<double>& values, const Grid& x) const {
    std::vector<NetPass> passes;
    for (const nn::Mlp& net : plan_.critics.nets) passes.emplace_back(net, values, x, rounding_);
    return passes;
  }

  NetPass actor(const std::vector<double>& values, const Grid& obs) const {
    return {plan_.actor.nets.front(), values, obs, rounding_};
  }

  agents::SquashedSample sample(const Grid& heads, int i, int k, float eps) const {
    return agents::squashed_sample(static_cast<float>(heads.at(i, k)),
                                   static_cast<float>(heads.at(i, plan_.actions + k)), eps);
  }

  // s' and the actions that the policy chooses there.
  Grid next_inputs() {
    const Grid obs = inputs(plan_.obs + plan_.actions, plan_.obs, all_rows(plan_.candidates));
    const NetPass pass = actor(plan_.actor.has_target ? out_.actor.target : out_.actor.values, obs);
    Grid x = with_actions(obs);
    entropy_.assign(static_cast<std::size_t>(plan_.candidates), 0);
    for (int i = 0; i < x.rows; ++i) {
      for (int k = 0; k < plan_.actions; ++k) {
        const float eps = noise(input_.next_noise, i, k);
        double& to = x.at(i, plan_.obs + k);
        if (!plan_.sac) {
          to = static_cast<double>(agents::smoothed_action(
              static_cast<float>(pass.out().at(i, k)), plan_.noise_scale, plan_.noise_clip, eps));
          continue;
        }
        const auto chosen = sample(pass.out(), i, k, eps);
        to = static_cast<double>(chosen.action);
        entropy_[static_cast<std::size_t>(i)] +=
            static_cast<double>(input_.alpha) * static_cast<double>(chosen.log_prob);
      }
    }
    return x;
  }

  double target_of(int row, double value) const {
    const int width = 2 * plan_.obs + plan_.actions;
    return stored(row, width) +
           stored(row, width + 1) * (value - entropy_[static_cast<std::size_t>(row)]);
  }

  static double smallest(const std::vector<NetPass>& passes, int row) {
    double least = passes.front().out().at(row, 0);
    for (const NetPass& pass : passes) least = std::min(least, pass.out().at(row, 0));
    return least;
  }

  // Targets, scores and the rows that are kept.
  void judge(const std::vector<NetPass>& q, const std::vector<NetPass>& target,
             const std::vector<NetPass>& online) {
    std::vector<double> scores(static_cast<std::size_t>(plan_.candidates));
    for (int row = 0; row < plan_.candidates; ++row) {
      targets_.push_back(target_of(row, smallest(target, row)));
      std::array<std::vector<float>, 3> of_critics;  // q, y_online, y_offline
      for (std::size_t c = 0; c < q.size(); ++c) {
        const auto y = [&](const std::vector<NetPass>& passes) {
          return target_of(row, plan_.clipped ? smallest(passes, row) : passes[c].out().at(row, 0));
        };
        of_critics[0].push_back(static_cast<float>(q[c].out().at(row, 0)));
        of_critics[1].push_back(static_cast<float>(y(online)));
        of_critics[2].push_back(static_cast<float>(y(target)));
      }
      scores[static_cast<std::size_t>(row)] =
          align::score_candidate(static_cast<int>(q.size()), 1, of_critics[0].data(),
                                 of_critics[1].data(), of_critics[2].data())
              .score;
    }
    out_.kept = plan_.scores ? align::keep_best(scores, plan_.batch) : all_rows(plan_.batch);
    std::ranges::sort(out_.kept);
  }

  void learn_critics(const std::vector<NetPass>& q) {
    for (const NetPass& pass : q) {
      Grid slope(plan_.batch, 1);
      for (int i = 0; i < plan_.batch; ++i) {
        const std::int32_t row = out_.kept[static_cast<std::size_t>(i)];
        const double error = pass.out().at(row, 0) - targets_[static_cast<std::size_t>(row)];
        out_.critic_loss += plan_.loss_scale * error * error / plan_.batch;
        slope.at(i, 0) = 2 * plan_.loss_scale * error / plan_.batch;
      }
      pass.backward(slope, out_.kept, &out_.critics.grads);
    }
    first_adam_step(out_.critics);
  }

  void learn_actor() {
    const Grid obs = inputs(0, plan_.obs, out_.kept);
    const NetPass policy = actor(out_.actor.values, obs);
    Grid x = with_actions(obs);
    for (int i = 0; i < plan_.batch; ++i) {
      for (int k = 0; k < plan_.actions; ++k) x.at(i, plan_.obs + k) = policy_action(policy, i, k);
    }
    const std::vector<NetPass> q = critics(out_.critics.values, x);
    const Rows rows = all_rows(plan_.batch);
    std::vector<Grid> da;
    Grid slope(plan_.batch, 1);
    std::ranges::fill(slope.numbers, -1.0 / plan_.batch);
    for (const NetPass& pass : q) da.push_back(pass.backward(slope, rows, nullptr));
    Grid heads(plan_.batch, policy.out().columns);
    for (int i = 0; i < plan_.batch; ++i) {
      std::size_t critic = 0;  // whose value counts
      for (std::size_t c = 1; plan_.sac && c < q.size(); ++c) {
        if (q[c].out().at(i, 0) < q[critic].out().at(i, 0)) critic = c;
      }
      out_.actor_loss -= q[critic].out().at(i, 0) / plan_.batch;
      for (int k = 0; k < plan_.actions; ++k) {
        add_head_slopes(policy.out(), i, k, da[critic].at(i, plan_.obs + k), heads);
      }
      out_.entropy_gap += plan_.sac ? plan_.target_entropy : 0;
    }
    policy.backward(heads, rows, &out_.actor.grads);
    first_adam_step(out_.actor);
  }

  float policy_noise(int i, int k) const {
    return noise(input_.policy_noise, out_.kept[static_cast<std::size_t>(i)], k);
  }

  double policy_action(const NetPass& policy, int i, int k) const {
    return static_cast<double>(plan_.sac
                                   ? sample(policy.out(), i, k, policy_noise(i, k)).action
                                   : nn::tanh_of(static_cast<float>(policy.out().at(i, k))).value);
  }

  // And the entropy's part of the loss.
  void add_head_slopes(const Grid& heads, int i, int k, double da, Grid& slopes) {
    if (!plan_.sac) {
      const auto mu = static_cast<float>(heads.at(i, k));
      slopes.at(i, k) = da * static_cast<double>(nn::tanh_of(mu).slope);
      return;
    }
    const float eps = policy_noise(i, k);
    const auto chosen = sample(heads, i, k, eps);
    const auto log_prob = static_cast<double>(chosen.log_prob);
    out_.actor_loss += static_cast<double>(input_.alpha) * log_prob / plan_.batch;
    out_.entropy_gap += log_prob;
    const auto both = agents::squashed_slopes(
        chosen, static_cast<float>(heads.at(i, plan_.actions + k)), eps, static_cast<float>(da),
        input_.alpha / static_cast<float>(plan_.batch));
    slopes.at(i, k) = static_cast<double>(both.mu);
    slopes.at(i, plan_.actions + k) = static_cast<double>(both.log_std);
  }

  // Whose moments are zero before it.
  void first_adam_step(ReferenceGroup& group) const {
    for (std::size_t i = 0; i < group.values.size(); ++i) {
      const double g = group.grads[i];
      group.values[i] -= input_.rate * g / (std::abs(g) + nn::OptimizerConfig{}.adam_eps);
    }
  }

  void mix(ReferenceGroup& group) const {
    for (std::size_t i = 0; i < group.target.size(); ++i) {
      group.target[i] += plan_.tau * (group.values[i] - group.target[i]);
    }
  }

  const AgentPlan& plan_;
  const ReferenceInput& input_;
  Rounding rounding_;
  std::vector<double> entropy_, targets_;  // [candidates]
  ReferenceUpdate out_;
};

}  // namespace

ReferenceUpdate reference_update(const AgentPlan& plan, const ReferenceInput& input, bool halves) {
  return Update(plan, input, halves).run();
}

}  // namespace tarl::fleet::test
