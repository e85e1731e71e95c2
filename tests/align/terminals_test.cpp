// SPDX-License-Identifier: MIT
#include "tarl/align/terminals.h"

#include <vector>

#include <gtest/gtest.h>

#include "tarl/core/rng.h"

namespace tarl::align {
namespace {

struct Draw {
  std::vector<bool> terminal;
  std::vector<double> score;
};

Draw draw(Rng& rng, int rows, double share) {
  Draw out;
  for (int row = 0; row < rows; ++row) {
    out.terminal.push_back(rng.uniform() < share);
    out.score.push_back(out.terminal.back() ? 1.0 : rng.uniform());
  }
  return out;
}

int terminals_in(const Draw& draw, const std::vector<std::int32_t>& rows) {
  int count = 0;
  for (const std::int32_t row : rows) count += draw.terminal[static_cast<std::size_t>(row)];
  return count;
}

TEST(Terminals, ExemptOnesAreThoseOfThePlainAgentWhateverTheirShare) {
  Rng rng = seeded(5).fork("exempt");
  for (const double share : {0.0, 0.1, 0.5, 0.9, 1.0}) {
    for (const auto& [m, b] : {std::pair{8, 8}, {8, 1}, {5, 15}}) {
      int all = 0, kept = 0;
      for (int round = 0; round < 400; ++round) {
        const Draw candidates = draw(rng, m + b, share);
        std::vector<double> score = candidates.score;
        int first = 0;
        for (int row = 0; row < m + b; ++row) {
          const auto at = static_cast<std::size_t>(row);
          score[at] = exempt_place(candidates.terminal[at], row, m, score[at]);
          first += row < m && candidates.terminal[at] ? 1 : 0;
          all += candidates.terminal[at] ? 1 : 0;
        }
        const std::vector<std::int32_t> rows = keep_best(score, m);
        ASSERT_EQ(rows.size(), static_cast<std::size_t>(m));
        ASSERT_EQ(terminals_in(candidates, rows), first);
        kept += first;
        // The others are the best of their kind.
        double worst = 1, best_left = 0;
        for (int row = 0; row < m + b; ++row) {
          const auto at = static_cast<std::size_t>(row);
          if (candidates.terminal[at]) continue;
          const bool is_kept = std::find(rows.begin(), rows.end(), row) != rows.end();
          (is_kept ? worst : best_left) =
              is_kept ? std::min(worst, score[at]) : std::max(best_left, score[at]);
        }
        ASSERT_LE(best_left, worst);
      }
      const double proportion = static_cast<double>(m) / (m + b);
      EXPECT_NEAR(kept, all * proportion, 4 * std::sqrt(all * proportion * (1 - proportion)));
    }
  }
}

TEST(Terminals, QuotasAddUpToTheShareOfAllRows) {
  EXPECT_EQ(terminal_quota(0.25, 32, 1), 8);
  EXPECT_EQ(terminal_quota(0.1, 32, 1), 3);  // of 3.2
  for (const double share : {0.0, 0.01, 0.1, 0.167, 0.5, 0.7, 1.0}) {
    std::int64_t sum = 0;
    for (std::int64_t update = 1; update <= 1000; ++update) {
      const int quota = terminal_quota(share, 30, update);
      ASSERT_GE(quota, 0);
      ASSERT_LE(quota, 30);
      sum += quota;
      ASSERT_EQ(sum, static_cast<std::int64_t>(
                         std::floor(share * 30 * static_cast<double>(update) + 1e-9)));
    }
  }
}

TEST(Terminals, MatchedOnesComeFirstAndTheOthersAsDrawn) {
  const std::vector<bool> terminal = {false, true, false, true, false, true};
  const auto kept = [&](const std::vector<bool>& chosen, int m) {
    std::vector<double> place;
    for (std::size_t i = 0; i < terminal.size(); ++i) {
      place.push_back(match_place(terminal[i], chosen[i]));
    }
    return keep_best(place, m);
  };
  const std::vector<bool> last = {false, false, false, false, false, true}, none(6, false);
  EXPECT_EQ(kept(last, 3), (std::vector<std::int32_t>{5, 0, 2}));
  EXPECT_EQ(kept(none, 3), (std::vector<std::int32_t>{0, 2, 4}));
  EXPECT_EQ(kept(none, 4), (std::vector<std::int32_t>{0, 2, 4, 1}));  // too few others
  EXPECT_EQ(kept(terminal, 2), (std::vector<std::int32_t>{1, 3}));
}

}  // namespace
}  // namespace tarl::align
