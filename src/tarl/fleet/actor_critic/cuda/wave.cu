// SPDX-License-Identifier: MIT
#include <algorithm>

#include "tarl/fleet/actor_critic/cuda/select.cuh"
#include "tarl/fleet/actor_critic/cuda/step.cuh"
#include "tarl/fleet/actor_critic/cuda/wave.h"
#include "tarl/fleet/cuda/waves/launches.cuh"

namespace tarl::fleet::actor_critic {

WaveSize::WaveSize(const AgentView& view, const int (&tiles_of)[kPhases], int staged_rows)
    : items(1),
      staged(staged_rows),
      candidates(view.candidates),
      batch(view.batch),
      parameters(std::max(view.actor.size, view.critic.size)) {
  std::ranges::copy(tiles_of, tiles);
}

void WaveSize::join(const WaveSize& other) {
  items += other.items;
  staged = std::max(staged, other.staged);
  candidates = std::max(candidates, other.candidates);
  batch = std::max(batch, other.batch);
  parameters = std::max(parameters, other.parameters);
  for (int i = 0; i < kPhases; ++i) tiles[i] = std::max(tiles[i], other.tiles[i]);
}

cudaError_t launch_stores(const Item* items, const WaveSize& size, cudaStream_t stream) {
  Launches wave(items, size.items, stream);
  wave.rows(store_rows, size.staged);
  return wave.result;
}

cudaError_t launch_acts(const Item* items, const WaveSize& size, cudaStream_t stream) {
  Launches wave(items, size.items, stream);
  for (const Phase phase : {Phase::kAct1, Phase::kAct2, Phase::kActHeads}) {
    wave.products(phase, size.tiles);
  }
  return wave.result;
}

cudaError_t launch_updates(const Item* items, const WaveSize& size, cudaStream_t stream) {
  Launches wave(items, size.items, stream);
  const auto products = [&](std::initializer_list<Phase> phases) {
    for (const Phase phase : phases) wave.products(phase, size.tiles);
  };
  wave.rows(store_rows, size.staged);
  wave.rows(gather_rows, size.candidates);
  products({Phase::kNext1, Phase::kNext2, Phase::kNextHeads});
  wave.rows(choose_next, size.candidates);
  products({Phase::kCritic1, Phase::kCritic2, Phase::kValues});
  wave.run(select_rows, 1, sizeof(SelectRoom));
  products({Phase::kBackTop, Phase::kBackHidden, Phase::kBackWeights});
  wave.numbers(step_critics, size.parameters, plan_of(nn::OptimizerConfig{}));
  wave.rows(choose_policy, size.batch);
  products({Phase::kPolicy1, Phase::kPolicy2, Phase::kPolicyValues, Phase::kSlopeHidden,
            Phase::kSlopeAction});
  wave.rows(policy_slopes, size.batch);
  products({Phase::kActorBack2, Phase::kActorBack1, Phase::kActorWeights});
  wave.run(finish_actor, 1, 0);
  wave.numbers(step_actor, size.parameters, plan_of(nn::OptimizerConfig{}));
  return wave.result;
}

}  // namespace tarl::fleet::actor_critic
