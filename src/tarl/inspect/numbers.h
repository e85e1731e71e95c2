// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "tarl/align/align.h"
#include "tarl/core/formats/json.h"
#include "tarl/inspect/candidates.h"
#include "tarl/report/analysis/filter.h"

namespace tarl::inspect {

// Scores of the candidates that share a place: their mean and their middle half.
struct Band {
  double place = 0;
  std::int64_t candidates = 0;
  double mean = 0, low = 0, high = 0;
};

// Those drawn when the target had one age.
struct AgeOfTarget {
  Band all;                                               // place: the lag
  double kept = 0;                                        // mean score of the kept ones
  std::array<double, align::kScenarioCount> scenarios{};  // shares
};

// What a page shows of its candidates. Scores are the paper's, whatever rows were chosen by.
struct Numbers {
  report::FilterCounts counts;         // chances to be kept, without the target's age
  std::vector<Band> by_error, by_age;  // as many candidates in each
  std::vector<AgeOfTarget> by_lag;     // empty where all were drawn at one
};

// Of a candidate: the mean over critics of its absolute offline error.
double offline_error(const store::Trace& trace, std::size_t row);

Numbers numbers_of(const Candidates& candidates);

// For programs: what the page says, by name.
Json numbers_json(const Candidates& candidates, const Numbers& numbers);

}  // namespace tarl::inspect
