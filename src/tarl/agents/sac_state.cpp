// SPDX-License-Identifier: MIT
//
// A SacAgent's part of model files and checkpoints besides actor and critics, in PyTorch's layout
// and names throughout.
#include "tarl/agents/sac.h"

namespace tarl::agents {

Tensors SacAgent::parameters() const {
  Tensors out = ActorCritic::parameters();
  temperature_.put_parameters(out);
  return out;
}

Tensors SacAgent::gradients() const {
  Tensors out = ActorCritic::gradients();
  temperature_.put_gradients(out);
  return out;
}

void SacAgent::set_parameters(const StateReader& in) {
  ActorCritic::set_parameters(in);
  temperature_.set_parameters(in);
}

void SacAgent::save(StateWriter& out) const {
  ActorCritic::save(out);
  temperature_.save(out);
}

void SacAgent::load(const StateReader& in) {
  ActorCritic::load(in);
  temperature_.load(in);
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
