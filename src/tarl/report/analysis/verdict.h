// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "tarl/report/analysis/analysis.h"

namespace tarl::report {

// The study in words, for the page and for the terminal. Says no more than the numbers do.

const char* verdict_word(Verdict verdict);  // "better", "worse", "not shown", "cannot tell"

// The pairs the verdict is about: the primary family.
std::vector<const Pair*> verdict_pairs(const Analysis& analysis);

std::string question(const Analysis& analysis);
std::string headline(const Analysis& analysis);
std::string seeds_text(const Analysis& analysis);  // "2 to 3 seeds"
// The fewest seeds of a comparison that the verdict is about; without one, of any algorithm.
std::size_t compared_seeds(const Analysis& analysis);
std::string seeds_note(const Analysis& analysis);  // what this number of seeds can and cannot show
// Environments in which no run beat the random score; empty if there are none.
std::string left_out_note(const Analysis& analysis);
std::string what_would_change(const Analysis& analysis, const Pair& pair);

// How a verdict is reached.
std::string verdict_rule(const Analysis& analysis);
const char* family_name(Family family);  // "primary", "secondary"
// Which comparisons Holm's correction covers.
std::string family_note(const Analysis& analysis);
// "95 % bootstrap intervals over seeds (10,000 draws)".
std::string intervals_text(const Analysis& analysis);
// How runs with different evaluation steps were compared, and what was excluded; may be empty.
std::vector<std::string> comparability_notes(const Analysis& analysis);

}  // namespace tarl::report
