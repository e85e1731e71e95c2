// SPDX-License-Identifier: MIT
#pragma once

#include "tarl/fleet/minatar_dqn/agent_spec.h"

namespace tarl::fleet {

// Offsets of the activations in AgentView::scratch, in floats.
struct PlainScratch {
  std::int64_t layer[kMaxHidden + 1];  // [2 (m + b)][out] of the online network at s, then at s'
  std::int64_t delta[kMaxHidden + 1];  // [m][out]
  std::int64_t features;               // [2 (m + b)][kFeatures], rows as in layer
  std::int64_t other_features;         // [m + b][kFeatures] of the other passes
  std::int64_t other[2];               // [m + b][widest layer], likewise
  std::int64_t delta_features;         // [m][kFeatures]
  std::int64_t size;
};

__host__ __device__ inline PlainScratch plain_scratch(const AgentSpec& spec) {
  PlainScratch at{};
  // Evaluations may act on more rows than an update has.
  const std::int64_t rows = spec.candidates > kMaxEvalEpisodes ? spec.candidates : kMaxEvalEpisodes;
  std::int64_t next = 0;
  const auto take = [&next](std::int64_t floats) {
    const std::int64_t here = next;
    next += (floats + 3) / 4 * 4;
    return here;
  };
  std::int64_t widest = 0;
  for (int l = 0; l < spec.net.layers; ++l) {
    const std::int64_t out = spec.net.layer[l].out;
    widest = out > widest ? out : widest;
    at.layer[l] = take(2 * rows * out);
    at.delta[l] = take(spec.batch * out);
  }
  at.features = take(2 * rows * kFeatures);
  at.other_features = take(rows * kFeatures);
  for (std::int64_t& other : at.other) other = take(rows * widest);
  at.delta_features = take(static_cast<std::int64_t>(spec.batch) * kFeatures);
  at.size = next;
  return at;
}

}  // namespace tarl::fleet
