// SPDX-License-Identifier: MIT
#include <algorithm>

#include "tarl/fleet/actor_critic/cuda/select.cuh"
#include "tarl/fleet/actor_critic/cuda/step.cuh"
#include "tarl/fleet/actor_critic/cuda/wave.h"

namespace tarl::fleet::actor_critic {

namespace {

int blocks_for(int count, int each) {
  return (count + each - 1) / each;
}

// Launches one kernel after the other until one fails.
class Launches {
 public:
  Launches(const Item* items, const WaveSize& size, cudaStream_t stream)
      : items_(items), size_(size), stream_(stream) {}

  template <class... Parameters, class... Arguments>
  void run(void (*kernel)(Parameters...), int blocks_each, std::size_t shared,
           Arguments... arguments) {
    if (result != cudaSuccess || blocks_each == 0) return;
    cudaLaunchConfig_t config{};
    config.gridDim.x = static_cast<unsigned>(size_.items * blocks_each);
    config.blockDim.x = kBlockThreads;
    config.dynamicSmemBytes = shared;
    config.stream = stream_;
    result = cudaLaunchKernelEx(&config, kernel, items_, arguments...);
  }

  void products(Phase phase) {
    const int each = size_.tiles[static_cast<int>(phase)];
    run(run_products, each, sizeof(ProductRoom), phase, each);
  }

  void rows(void (*kernel)(const Item*, int), int count) {
    const int each = blocks_for(count, kRowsOfBlock);
    run(kernel, each, 0, each);
  }

  void parameters(void (*kernel)(const Item*, int, OptimizerPlan)) {
    const int each = blocks_for(size_.parameters, kParametersOfBlock);
    run(kernel, each, 0, each, plan_of(nn::OptimizerConfig{}));
  }

  cudaError_t result = cudaSuccess;

 private:
  const Item* items_;
  const WaveSize& size_;
  cudaStream_t stream_;
};

}  // namespace

void WaveSize::add(const AgentView& view, const int (&tiles_of)[kPhases], int staged_rows) {
  ++items;
  staged = std::max(staged, staged_rows);
  candidates = std::max(candidates, view.candidates);
  batch = std::max(batch, view.batch);
  parameters = std::max({parameters, view.actor.size, view.critic.size});
  for (int i = 0; i < kPhases; ++i) tiles[i] = std::max(tiles[i], tiles_of[i]);
}

cudaError_t launch_stores(const Item* items, const WaveSize& size, cudaStream_t stream) {
  Launches wave(items, size, stream);
  wave.rows(store_rows, size.staged);
  return wave.result;
}

cudaError_t launch_acts(const Item* items, const WaveSize& size, cudaStream_t stream) {
  Launches wave(items, size, stream);
  for (const Phase phase : {Phase::kAct1, Phase::kAct2, Phase::kActHeads}) wave.products(phase);
  return wave.result;
}

cudaError_t launch_updates(const Item* items, const WaveSize& size, cudaStream_t stream) {
  Launches wave(items, size, stream);
  const auto products = [&](std::initializer_list<Phase> phases) {
    for (const Phase phase : phases) wave.products(phase);
  };
  wave.rows(store_rows, size.staged);
  wave.rows(gather_rows, size.candidates);
  products({Phase::kNext1, Phase::kNext2, Phase::kNextHeads});
  wave.rows(choose_next, size.candidates);
  products({Phase::kCritic1, Phase::kCritic2, Phase::kValues});
  wave.run(select_rows, 1, sizeof(SelectRoom));
  products({Phase::kBackTop, Phase::kBackHidden, Phase::kBackWeights});
  wave.parameters(step_critics);
  wave.rows(choose_policy, size.batch);
  products({Phase::kPolicy1, Phase::kPolicy2, Phase::kPolicyValues, Phase::kSlopeHidden,
            Phase::kSlopeAction});
  wave.rows(policy_slopes, size.batch);
  products({Phase::kActorBack2, Phase::kActorBack1, Phase::kActorWeights});
  wave.run(finish_actor, 1, 0);
  wave.parameters(step_actor);
  return wave.result;
}

}  // namespace tarl::fleet::actor_critic
