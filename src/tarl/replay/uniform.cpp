// SPDX-License-Identifier: MIT
#include "tarl/replay/uniform.h"

#include <utility>

#include "tarl/replay/draw.h"

namespace tarl::replay {

UniformReplay::UniformReplay(Storage storage, const Lookahead& lookahead)
    : StoredReplay(std::move(storage)), lookahead_(lookahead) {}

void UniformReplay::sample(int rows, double /*progress*/, Rng& rng, rl::Sample& out) {
  require(size() > 0, "nothing to sample from");
  out.index.resize(rows);
  out.weight.assign(rows, 1.0F);
  draw_slots(size(), rng, out.index);
  storage_.gather(out.index, lookahead_.n_steps, lookahead_.gamma, out.batch);
}

void UniformReplay::save(StateWriter& out) const {
  StateWriter storage = out.group(kStorageGroup);
  storage_.save(storage);
}

void UniformReplay::load(const StateReader& in) {
  storage_.load(in.group(kStorageGroup));
}

}  // namespace tarl::replay
