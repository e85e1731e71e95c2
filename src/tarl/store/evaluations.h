// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "tarl/core/files.h"
#include "tarl/core/state.h"

namespace tarl::store {

// The evaluations of a run: evaluations.npz, in the format of Stable-Baselines3's EvalCallback.
struct Evaluations {
  std::vector<std::int64_t> timesteps;
  std::vector<double> returns;        // [evaluation][episode]
  std::vector<std::int64_t> lengths;  // [evaluation][episode]; empty if a file has none

  std::size_t count() const { return timesteps.size(); }

  std::size_t episodes() const { return timesteps.empty() ? 0 : returns.size() / count(); }

  std::span<const double> returns_of(std::size_t evaluation) const {
    return std::span(returns).subspan(evaluation * episodes(), episodes());
  }
};

double mean_of(std::span<const double> returns);

// The largest mean of an evaluation; minus infinity if there is none that is a number.
double best_mean(const Evaluations& evaluations);

// As part of a checkpoint.
void save(const Evaluations& evaluations, StateWriter& out);
Evaluations load_evaluations(const StateReader& in);

void write_evaluations(const fs::path& file, const Evaluations& evaluations);

// Throws Error unless steps are those of a run: from 0 on, and in order.
void check_steps(std::span<const std::int64_t> timesteps);

// Throws Error if the file was not written by tarl, or has evaluations without episodes, a
// non-finite return or steps that no run has.
Evaluations read_evaluations(const fs::path& file);

}  // namespace tarl::store
