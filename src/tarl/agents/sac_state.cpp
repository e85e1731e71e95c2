// SPDX-License-Identifier: MIT
//
// What a SacAgent writes to model files and checkpoints besides actor and critics, in PyTorch's
// layout and names throughout.
#include <cmath>

#include "tarl/agents/sac.h"
#include "tarl/core/error.h"

namespace tarl::agents {

Tensors SacAgent::parameters() const {
  Tensors out = ActorCritic::parameters();
  nn::export_tensors(alpha_layout_, log_alpha_.values(), "", out);
  return out;
}

Tensors SacAgent::gradients() const {
  Tensors out = ActorCritic::gradients();
  nn::export_tensors(alpha_layout_, log_alpha_.grads(), "", out);
  return out;
}

void SacAgent::set_parameters(const StateReader& in) {
  ActorCritic::set_parameters(in);
  nn::import_tensors(alpha_layout_, in, "", log_alpha_.values());
}

void SacAgent::save(StateWriter& out) const {
  ActorCritic::save(out);
  out.put("log_alpha", *log_alpha_.values());
  out.put("optimizer.exp_avg.log_alpha", *log_alpha_.state(0));
  out.put("optimizer.exp_avg_sq.log_alpha", *log_alpha_.state(1));
  out.put("optimizer.log_alpha.steps", alpha_optimizer_.steps());
}

void SacAgent::load(const StateReader& in) {
  ActorCritic::load(in);
  in.get("log_alpha", *log_alpha_.values());
  in.get("optimizer.exp_avg.log_alpha", *log_alpha_.state(0));
  in.get("optimizer.exp_avg_sq.log_alpha", *log_alpha_.state(1));
  for (const float* value : {log_alpha_.values(), log_alpha_.state(0), log_alpha_.state(1)}) {
    if (!std::isfinite(*value)) throw NonFiniteError("'log_alpha' is not finite");
  }
  std::int64_t steps = 0;
  in.get("optimizer.log_alpha.steps", steps);
  alpha_optimizer_.set_steps(steps);
}

std::span<const float> SacAgent::next_log_prob() const {
  return next_.log_prob();
}

nn::ConstRows SacAgent::policy_actions() const {
  const nn::Rows x = critics_.policy_x();
  return {x.data + obs_, x.stride};
}

std::span<const float> SacAgent::policy_log_prob() const {
  return policy_.log_prob();
}

}  // namespace tarl::agents
