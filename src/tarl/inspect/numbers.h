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

// Scores of the candidates at one place: mean and interquartile range.
struct Band {
  double place = 0;
  std::int64_t candidates = 0;
  double mean = 0, low = 0, high = 0;
};

// Candidates drawn at one age of the target.
struct AgeOfTarget {
  Band all;                                               // place: the lag
  double kept = 0;                                        // mean score of the kept ones
  std::array<double, align::kScenarioCount> scenarios{};  // shares
};

// What a page shows about its candidates. Scores are the paper's, whatever ranked the rows.
struct Numbers {
  report::FilterCounts counts;         // probabilities of being kept, without the target's age
  std::vector<Band> by_error, by_age;  // equal numbers of candidates in each
  std::vector<AgeOfTarget> by_lag;     // empty if all were drawn at one age
};

// Of a candidate: the mean over critics of its absolute offline error.
double offline_error(const store::Trace& trace, std::size_t row);

Numbers numbers_of(const Candidates& candidates);

// The page's numbers for programs, by name.
Json numbers_json(const Candidates& candidates, const Numbers& numbers);

}  // namespace tarl::inspect
