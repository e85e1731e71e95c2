// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tarl/align/score_registry.h"
#include "tarl/core/rng.h"
#include "tarl/rl/agent.h"
#include "tarl/train/config.h"

namespace tarl::train {

// The registered score of that name. Throws UsageError that suggests the nearest one.
const align::ScoreEntry& find_score(const std::string& name);

// The stream of the score `random`. A row uses draw (update - 1) * candidates + row, so only the
// number of updates has to be saved.
Rng score_stream(const Rng& root);

// Ranks a run's rows when that takes more than the paper's score.
class Scorer {
 public:
  Scorer(const RunConfig& config, const Rng& root);

  // Replaces scores.score, which holds the paper's scores, and keeps them in scores.paper. `update`
  // counts from 1. Throws Error if a foreign score leaves [0, 1].
  void replace(const rl::Assessment& candidates, const rl::Batch& batch, std::int64_t update,
               align::Scores& scores);

 private:
  double score_of(const rl::Assessment& candidates, const rl::Batch& batch, std::size_t row) const;
  double foreign_score(const align::Candidate& candidate) const;
  void place_terminals(const rl::Batch& batch, std::int64_t update, std::span<double> score);
  void choose_terminals(const rl::Batch& batch, std::int64_t update, std::span<const double> score);

  const align::ScoreEntry entry_;
  const align::Terminals terminals_;
  const double terminal_share_;
  const int batch_size_;
  const Rng stream_;
  const bool replaces_;       // whether updates depend on a score or rule other than the paper's
  std::vector<char> chosen_;  // match: terminals to keep
};

}  // namespace tarl::train
