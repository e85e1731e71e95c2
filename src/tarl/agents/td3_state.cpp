// SPDX-License-Identifier: MIT
//
// What a Td3Agent writes to model files and checkpoints: PyTorch's layout and names throughout.
#include "tarl/agents/td3.h"

namespace tarl::agents {

Tensors Td3Agent::parameters() const {
  Tensors out;
  actor_.group().put_parameters(actor_critic::kActorPrefix, out);
  critics_.group().put_parameters(actor_critic::kCriticPrefix, out);
  return out;
}

Tensors Td3Agent::gradients() const {
  Tensors out;
  actor_.group().put_gradients(actor_critic::kActorPrefix, out);
  critics_.group().put_gradients(actor_critic::kCriticPrefix, out);
  return out;
}

void Td3Agent::set_parameters(const StateReader& in) {
  actor_.group().set_parameters(actor_critic::kActorPrefix, in);
  critics_.group().set_parameters(actor_critic::kCriticPrefix, in);
}

void Td3Agent::save(StateWriter& out) const {
  actor_.group().save(actor_critic::kActorPrefix, out);
  critics_.group().save(actor_critic::kCriticPrefix, out);
  out.put("updates", updates_);
  out.put("actor_learned", actor_learned_);
}

void Td3Agent::load(const StateReader& in) {
  actor_.group().load(actor_critic::kActorPrefix, in);
  critics_.group().load(actor_critic::kCriticPrefix, in);
  in.get("updates", updates_);
  in.get("actor_learned", actor_learned_);
}

nn::ConstRows Td3Agent::next_actions() const {
  const nn::Rows x = critics_.next_x();
  return {x.data + obs_, x.stride};
}

}  // namespace tarl::agents
