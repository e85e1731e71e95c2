// SPDX-License-Identifier: MIT
#include "tarl/agents/dqn.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <numeric>
#include <string>

#include "tarl/agents/dqn_state.h"
#include "tarl/agents/registry.h"
#include "tarl/agents/td_target.h"
#include "tarl/core/error.h"
#include "tarl/core/formats/number.h"
#include "tarl/nn/kernels/kernels.h"

namespace tarl::agents {

namespace {

// The team splits the rows of a forward pass in whole tiles of the matrix product.
constexpr int kRowGrain = 8;
// Below this many rows a pass is shorter than waking the team.
constexpr int kRowsForTeam = 32;

}  // namespace

DqnAgent::DqnAgent(const DqnConfig& config, const rl::ObsSpec& obs, const rl::ActionSpec& action,
                   int max_rows, Rng init, Team& team)
    : network_(config, obs, action.count),
      loss_(config.loss),
      double_q_(config.double_q),
      max_grad_norm_(config.max_grad_norm),
      optimizer_(optimizer_of(config)),
      max_rows_(max_rows),
      obs_bytes_(obs.bytes()),
      team_(team),
      online_(nn::Parameters::trained(network_.layout(), optimizer_.states(), arena_)),
      target_(nn::Parameters::frozen(network_.layout(), arena_)),
      online_at_s_(network_.take_pass(max_rows, arena_)),
      online_at_next_(network_.take_pass(max_rows, arena_)),
      target_at_next_(network_.take_pass(max_rows, arena_)),
      kept_pass_(network_.take_pass(max_rows, arena_)),
      work_(network_.take_work(max_rows, arena_)),
      kept_(max_rows),
      squares_(static_cast<std::size_t>(nn::norm_chunks(online_))),
      stats_{{rl::Metric::kLoss, 0}, {rl::Metric::kGradNorm, 0}, {rl::Metric::kQMean, 0}} {
  online_.initialise(init);
  nn::mix_into(target_, online_, 1);
  const auto rows = static_cast<std::size_t>(max_rows);
  for (std::vector<float>* values : {&q_, &y_online_, &y_offline_, &abs_error_}) {
    values->resize(rows);
  }
  row_loss_.resize(rows);
  row_q_.resize(rows);
}

double DqnAgent::bytes_needed(const DqnConfig& config, const rl::ObsSpec& obs,
                              const rl::ActionSpec& action, int max_rows) {
  nn::Arena arena = nn::Arena::counting();
  const QNetwork network(config, obs, action.count);
  nn::Parameters::trained(network.layout(), nn::Optimizer(optimizer_of(config)).states(), arena);
  nn::Parameters::frozen(network.layout(), arena);
  for (int pass = 0; pass < 4; ++pass) network.take_pass(max_rows, arena);
  network.take_work(max_rows, arena);
  return static_cast<double>(arena.bytes());
}

void DqnAgent::act(std::span<const std::byte> obs, int n, const rl::ActMode& mode,
                   std::span<Rng> streams, std::span<rl::Action> out) {
  require(obs.size() == static_cast<std::size_t>(n) * obs_bytes_, "observations of another size");
  const auto random_action = [&](int row, rl::Action& action) {
    Rng& stream = streams[static_cast<std::size_t>(row)];
    const bool random = mode.epsilon > 0 && stream.uniform() < mode.epsilon;
    if (random) {
      action.index = static_cast<int>(stream.below(static_cast<unsigned>(network_.actions())));
    }
    return random;
  };
  if (n == 1) {
    if (random_action(0, out[0])) return;
    network_.forward_row(online_.values(), obs.data(), online_at_next_);
    out[0].index = greedy_action(online_at_next_.q.data, network_.actions());
    return;
  }
  for (int begin = 0; begin < n; begin += max_rows_) {
    greedy_rows(obs, {begin, std::min(n, begin + max_rows_)}, out);
  }
  for (int row = 0; row < n; ++row) random_action(row, out[static_cast<std::size_t>(row)]);
}

void DqnAgent::greedy_rows(std::span<const std::byte> obs, Range rows, std::span<rl::Action> out) {
  const nn::ObsRows block{obs.data() + static_cast<std::size_t>(rows.begin) * obs_bytes_,
                          obs_bytes_};
  const auto chosen = out.subspan(static_cast<std::size_t>(rows.begin));
  const auto part = [&](Range share) {
    network_.forward(online_.values(), block, share, online_at_next_);
    for (int i = share.begin; i < share.end; ++i) {
      chosen[static_cast<std::size_t>(i)].index =
          greedy_action(online_at_next_.q.row(i), network_.actions());
    }
  };
  if (rows.size() < kRowsForTeam) {
    part({0, rows.size()});
    return;
  }
  team_.run([&](int rank) { part(share(rows.size(), rank, team_.size(), kRowGrain)); });
}

const rl::Assessment& DqnAgent::assess(const rl::Batch& batch, bool with_online_target, Rng&) {
  require(batch.rows > 0 && batch.rows <= max_rows_, "batch larger than the agent was made for");
  require(batch.obs_bytes == obs_bytes_, "observations of another size");
  batch_ = &batch;
  team_.run([&](int rank) { assess_part(batch, with_online_target, rank); });
  const auto rows = static_cast<std::size_t>(batch.rows);
  assessment_.rows = batch.rows;
  assessment_.q = {q_.data(), rows};
  assessment_.y_offline = {y_offline_.data(), rows};
  assessment_.y_online = {y_online_.data(), with_online_target ? rows : 0};
  assessment_.abs_error = {abs_error_.data(), rows};
  return assessment_;
}

void DqnAgent::assess_part(const rl::Batch& batch, bool with_online_target, int rank) {
  network_.refresh(online_.values(), rank, team_.size(), work_);
  const nn::ObsRows obs{batch.obs.data(), batch.obs_bytes};
  const nn::ObsRows next_obs{batch.next_obs.data(), batch.obs_bytes};
  const std::array<QTask, 3> tasks{{{online_.values(), obs, &online_at_s_},
                                    {target_.values(), next_obs, &target_at_next_},
                                    {online_.values(), next_obs, &online_at_next_}}};
  const std::size_t passes = double_q_ || with_online_target ? 3 : 2;
  const Range rows = share(batch.rows, rank, team_.size(), kRowGrain);
  network_.forward(std::span(tasks).first(passes), batch.rows, rows, rank, team_);
  fill_targets(batch, with_online_target, rows);
}

void DqnAgent::fill_targets(const rl::Batch& batch, bool with_online_target, Range rows) {
  for (int row = rows.begin; row < rows.end; ++row) {
    const auto i = static_cast<std::size_t>(row);
    const float* target_q = target_at_next_.q.row(row);
    const float* online_q = online_at_next_.q.row(row);
    const int next_action = greedy_action(double_q_ ? online_q : target_q, network_.actions());
    q_[i] = online_at_s_.q.row(row)[batch.action_index[i]];
    y_offline_[i] = td_target(batch.reward[i], batch.discount[i], target_q[next_action]);
    if (with_online_target) {
      const int online_action = greedy_action(online_q, network_.actions());
      y_online_[i] = td_target(batch.reward[i], batch.discount[i], online_q[online_action]);
    }
    abs_error_[i] = std::fabs(y_offline_[i] - q_[i]);
  }
}

void DqnAgent::loss_rows(Range rows) {
  const auto count = static_cast<float>(kept_.size());
  for (int i = rows.begin; i < rows.end; ++i) {
    const auto at = static_cast<std::size_t>(i);
    const auto row = static_cast<std::size_t>(kept_.rows()[at]);
    const float error = q_[row] - y_offline_[row];
    row_loss_[at] = double{kept_.weight(i)} * nn::loss_value(loss_, double{error});
    row_q_[at] = double{q_[row]};
    float* dq = work_.dq.row(i);
    std::fill_n(dq, network_.actions(), 0.0F);
    dq[batch_->action_index[row]] = kept_.weight(i) * nn::loss_slope(loss_, error) / count;
  }
}

const rl::UpdateStats& DqnAgent::update(std::span<const std::int32_t> kept,
                                        std::span<const float> weight, Rng&) {
  require(batch_ != nullptr, "update() without assess()");
  kept_.set(kept, weight, batch_->rows);
  team_.run([&](int rank) { update_part(rank); });
  require_finite_step(loss_value_, grad_norm_, kept_.size());
  optimizer_.count_step();
  stats_[0].second = loss_value_;
  stats_[1].second = grad_norm_;
  stats_[2].second = kept_.mean(row_q_);
  return stats_;
}

void DqnAgent::update_part(int rank) {
  const int n = kept_.size(), members = team_.size();
  const Range rows = share(n, rank, members, nn::kLanes);
  const bool all = kept_.all();
  if (!all) network_.gather(online_at_s_, kept_.rows(), rows, kept_pass_);
  loss_rows(rows);
  network_.backward(online_, {batch_->obs.data(), batch_->obs_bytes}, online_at_s_,
                    all ? online_at_s_ : kept_pass_, kept_.rows(), work_, rank, team_);
  team_.barrier();
  nn::square_gradients(online_, share(nn::norm_chunks(online_), rank, members), squares_);
  team_.barrier();
  // Every member sums the same numbers and so makes the same decision.
  const double norm = nn::norm_of(squares_);
  const double loss = kept_.mean(row_loss_);
  if (std::isfinite(norm) && std::isfinite(loss)) {
    const int size = static_cast<int>(online_.size());
    optimizer_.apply(online_, share(size, rank, members, nn::kLanes),
                     nn::clip_scale(norm, max_grad_norm_));
  }
  if (rank == 0) {
    loss_value_ = loss;
    grad_norm_ = norm;
  }
}

void DqnAgent::sync_target(double tau) {
  nn::mix_into(target_, online_, tau);
}

double DqnAgent::update_flops(int candidates, int kept, bool with_online_target) const {
  const double passes = double_q_ || with_online_target ? 3 : 2;
  return 2 * (candidates * passes * network_.forward_work() + kept * network_.backward_work());
}

void add_dqn(Registry& registry) {
  Entry dqn = entry<DqnAgent, DqnConfig>("dqn", "deep Q-network", Actions::kDiscrete);
  dqn.on_devices = dqn.in_selftest = true;
  dqn.policy_tensors = PolicyTensors::kQ;
  dqn.named = {"double_q=false"};
  dqn.complete = [](Settings& settings, rl::ObsKind obs, int) {
    settings.as<DqnConfig>() = completed(settings.as<DqnConfig>(), obs);
  };
  Entry ddqn = dqn;
  ddqn.name = "ddqn";
  ddqn.title = "double DQN: the online network chooses the next action";
  ddqn.named = {"double_q=true"};
  registry.add(std::move(dqn));
  registry.add(std::move(ddqn));
}

}  // namespace tarl::agents
