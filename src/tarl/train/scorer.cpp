// SPDX-License-Identifier: MIT
#include "tarl/train/scorer.h"

#include <algorithm>
#include <cmath>

#include "tarl/core/error.h"
#include "tarl/core/formats/number.h"

namespace tarl::train {

const align::ScoreEntry& find_score(const std::string& name) {
  const align::ScoreRegistry& registry = align::score_registry();
  if (const align::ScoreEntry* entry = registry.find(name)) return *entry;
  std::vector<std::string> names;
  for (const align::ScoreEntry& entry : registry.entries()) names.push_back(entry.name);
  throw UsageError("align.score: no score is called '" + name + "'" + did_you_mean(name, names) +
                   " (tarl list scores shows all)");
}

Rng score_stream(const Rng& root) {
  return root.fork("score");
}

Scorer::Scorer(const RunConfig& config, const Rng& root)
    : entry_(find_score(config.align.score)),
      terminals_(config.align.terminals),
      terminal_share_(config.align.terminal_share),
      batch_size_(static_cast<int>(config.batch_size)),
      stream_(score_stream(root)),
      replaces_(config.uses_scores() && (entry_.kind != align::ScoreKind::kPaper ||
                                         terminals_ != align::Terminals::kScore)) {}

void Scorer::replace(const rl::Assessment& candidates, const rl::Batch& batch, std::int64_t update,
                     align::Scores& scores) {
  if (!replaces_) return;
  const bool by_paper = entry_.kind == align::ScoreKind::kPaper;
  scores.paper = scores.score;
  const std::size_t rows = scores.score.size();
  Rng stream{stream_.key, static_cast<std::uint64_t>(update - 1) * rows};
  for (std::size_t row = 0; row < rows && !by_paper; ++row) {
    double& score = scores.score[row];
    // Applied to the paper's minimum over critics and to the candidate, not to each critic.
    if (entry_.kind == align::ScoreKind::kWorst || entry_.kind == align::ScoreKind::kRandom) {
      score = align::control_score(entry_.kind, 0, 0, score, stream.uniform());
    } else {
      score = score_of(candidates, batch, row);
    }
  }
  place_terminals(batch, update, scores.score);
}

// The minimum over critics.
double Scorer::score_of(const rl::Assessment& candidates, const rl::Batch& batch,
                        std::size_t row) const {
  double least = 1;
  for (int critic = 0; critic < candidates.critics; ++critic) {
    const std::size_t at = static_cast<std::size_t>(critic) * candidates.rows + row;
    const double q = candidates.q[at];
    const align::Candidate candidate{.online_error = double{candidates.y_online[at]} - q,
                                     .offline_error = double{candidates.y_offline[at]} - q,
                                     .reward = batch.reward[row],
                                     .terminal = batch.terminal(row)};
    const double score = entry_.kind == align::ScoreKind::kForeign
                             ? foreign_score(candidate)
                             : align::control_score(entry_.kind, candidate.online_error,
                                                    candidate.offline_error, 0, 0);
    least = std::min(least, score);
  }
  return least;
}

double Scorer::foreign_score(const align::Candidate& candidate) const {
  const double score = entry_.function(candidate);
  if (score >= 0 && score <= 1) return score;
  throw Error("align.score = " + entry_.name + " gives " + format_number(score) +
              " for online error " + format_number(candidate.online_error) + " and offline error " +
              format_number(candidate.offline_error) + "; a score lies in [0, 1]");
}

void Scorer::place_terminals(const rl::Batch& batch, std::int64_t update, std::span<double> score) {
  if (terminals_ == align::Terminals::kScore) return;
  if (terminals_ == align::Terminals::kMatch) choose_terminals(batch, update, score);
  for (std::size_t row = 0; row < score.size(); ++row) {
    const bool terminal = batch.terminal(row);
    score[row] =
        terminals_ == align::Terminals::kMatch
            ? align::match_place(terminal, chosen_[row] != 0)
            : align::exempt_place(terminal, static_cast<int>(row), batch_size_, score[row]);
  }
}

// As many as the share requires, in the order drawn; or as many as the score would keep.
void Scorer::choose_terminals(const rl::Batch& batch, std::int64_t update,
                              std::span<const double> score) {
  chosen_.assign(score.size(), 0);
  if (std::isnan(terminal_share_)) {
    for (const std::int32_t row : align::keep_best(score, batch_size_)) {
      chosen_[static_cast<std::size_t>(row)] = 1;
    }
    return;
  }
  int left = align::terminal_quota(terminal_share_, batch_size_, update);
  for (std::size_t row = 0; row < score.size() && left > 0; ++row) {
    if (!batch.terminal(row)) continue;
    chosen_[row] = 1;
    --left;
  }
}

}  // namespace tarl::train
