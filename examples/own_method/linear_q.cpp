// SPDX-License-Identifier: MIT
// An agent: Q-learning with one linear layer, Q(s, a) = w_a . s, and plain gradient descent.
#include <numeric>

#include "own_method.h"
#include <tarl/agents/one_critic.h>

namespace {
using namespace tarl;

struct LinearQConfig {
  double learning_rate = 0.5;
};

Fields fields(LinearQConfig& config) {
  return {number("learning_rate", config.learning_rate, 1e-9, 10, "size of a step")};
}

class LinearQ final : public rl::Agent {
 public:
  LinearQ(const LinearQConfig& config, const rl::ObsSpec& obs, const rl::ActionSpec& action, int,
          Rng, Team&)
      : rate_(config.learning_rate), size_(obs.size()), q_(action.count) {
    if (obs.kind != rl::ObsKind::kFloats) throw UsageError("linear-q reads vectors of numbers");
    online_ = target_ = std::vector<float>(size_ * q_.size());
  }

  void act(std::span<const std::byte> obs, int n, const rl::ActMode& mode, std::span<Rng> streams,
           std::span<rl::Action> out) override {
    for (int i = 0; i < n; ++i) {
      const bool random = mode.epsilon > 0 && streams[i].uniform() < mode.epsilon;
      out[i].index = static_cast<int>(random ? streams[i].below(q_.size()) : best(online_, obs, i));
    }
  }

  const rl::Assessment& assess(const rl::Batch& batch, bool, Rng&) override {
    rows_.start(batch);
    for (int i = 0; i < batch.rows; ++i) {
      const float next_online = q_[best(online_, batch.next_obs, i)];
      const float next_offline = q_[best(target_, batch.next_obs, i)];
      best(online_, batch.obs, i);
      rows_.set(i, q_[batch.action_index[i]], next_online, next_offline);
    }
    return rows_.assessment();
  }

  const rl::UpdateStats& update(std::span<const std::int32_t> kept, std::span<const float> weight,
                                Rng&) override {
    for (std::size_t i = 0; i < kept.size(); ++i) {
      const double error = weight[i] * rows_.error(kept[i]) / static_cast<double>(kept.size());
      const auto* s = reinterpret_cast<const float*>(rows_.batch().obs_row(kept[i]));
      float* w = &online_[rows_.batch().action_index[kept[i]] * size_];
      for (int k = 0; k < size_; ++k) w[k] += static_cast<float>(rate_ * error) * s[k];
    }
    return stats_;
  }

  void sync_target(double tau) override {
    for (std::size_t i = 0; float& w : target_) w += static_cast<float>(tau) * (online_[i++] - w);
  }

  Tensors parameters() const override {
    return {{"weight", Tensor::of<float>(online_, {std::ssize(q_), size_})}};
  }

  void set_parameters(const StateReader& in) override { in.get("weight", online_); }

  void save(StateWriter& out) const override {
    out.put("online", online_);
    out.put("target", target_);
  }

  void load(const StateReader& in) override {
    in.get("online", online_);
    in.get("target", target_);
  }

 private:
  // The best action for a row; leaves the values of all actions in q_.
  int best(std::span<const float> w, std::span<const std::byte> obs, int i) {
    const auto* s = reinterpret_cast<const float*>(obs.data()) + i * size_;
    for (int a = 0; a < std::ssize(q_); ++a)
      q_[a] = std::inner_product(s, s + size_, w.data() + a * size_, 0.0F);
    return agents::greedy_action(q_.data(), static_cast<int>(q_.size()));
  }

  double rate_;
  std::int64_t size_;
  std::vector<float> q_, online_, target_;  // [actions], [actions][size]
  agents::OneCritic rows_;
  rl::UpdateStats stats_;
};

}  // namespace

void add_linear_q(agents::Registry& registry) {
  registry.add(agents::entry<LinearQ>("linear-q", "one linear layer", agents::Actions::kDiscrete,
                                      LinearQConfig()));
}
