// SPDX-License-Identifier: MIT
#include "tarl/replay/prioritized.h"

#include <utility>

namespace tarl::replay {

PrioritizedReplay::PrioritizedReplay(Storage storage, std::unique_ptr<Priorities> priorities,
                                     const Settings& settings)
    : StoredReplay(std::move(storage)), priorities_(std::move(priorities)), settings_(settings) {}

std::size_t PrioritizedReplay::memory_bytes() const {
  return storage_.memory_bytes() + priorities_->memory_bytes();
}

void PrioritizedReplay::add(const rl::Transition& transition) {
  const std::int64_t slot = storage_.add(transition);
  priorities_->add(slot, transition.terminated || transition.truncated);
}

void PrioritizedReplay::sample(int rows, double progress, Rng& rng, rl::Sample& out) {
  require(size() > 0, "nothing to sample from");
  const double total = priorities_->total();
  const double beta = annealed_beta(settings_.beta, progress);
  scratch_.resize(rows);
  draw_masses(settings_.draw, total, rng, scratch_);
  out.index.resize(rows);
  out.weight.resize(rows);
  for (std::size_t row = 0; row < scratch_.size(); ++row) {
    const Priorities::Found found = priorities_->find(scratch_[row]);
    out.index[row] = found.slot;
    out.weight[row] = static_cast<float>(importance_weight(size(), found.weight / total, beta));
  }
  storage_.gather(out.index, settings_.lookahead.n_steps, settings_.lookahead.gamma, out.batch);
}

void PrioritizedReplay::update_priorities(const rl::Sample& sample,
                                          std::span<const float> abs_error) {
  scratch_.assign(abs_error.begin(), abs_error.end());
  priorities_->update(sample.index, scratch_);
}

void PrioritizedReplay::save(StateWriter& out) const {
  StateWriter storage = out.group(kStorageGroup);
  StateWriter priorities = out.group(kPrioritiesGroup);
  storage_.save(storage);
  priorities_->save(priorities);
}

void PrioritizedReplay::load(const StateReader& in) {
  storage_.load(in.group(kStorageGroup));
  priorities_->load(in.group(kPrioritiesGroup));
}

}  // namespace tarl::replay
