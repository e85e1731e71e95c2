// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tarl/train/config.h"

// Runs that are made longer (`train --resume --steps N`). The settings record each extension, and
// every schedule is a function of the settings and the step alone: an extended run resumes, and can
// be repeated from the start, to the bit.
namespace tarl::train {

// `config.extended.at` of an extension whose first step is not known yet.
inline constexpr std::int64_t kNotYet = -1;

// What the run's evaluations are spread over: its own steps, or those of the longer run that it is
// the first part of.
std::int64_t steps_of_schedules(const RunConfig& config);

// How many evaluations are due by `step`, and the first step at which so many are.
std::int64_t evaluations_due(const RunConfig& config, std::int64_t step);
std::int64_t step_of_evaluation(const RunConfig& config, std::int64_t evaluations);

// The total that schedules count with in the environment step that ends at `step`: the run's own,
// or an earlier one where that step was made before the run became longer.
std::int64_t steps_in_force(const RunConfig& config, std::int64_t step);

// The next total from `steps` on that ends with an evaluation.
std::int64_t next_total(const RunConfig& config, std::int64_t steps);

// The settings of a run that is made `steps` steps long after `at` of them. Evaluations keep their
// distance. Throws UsageError where it would be no longer, or would not end with an evaluation.
RunConfig extended(RunConfig config, std::int64_t steps, std::int64_t at = kNotYet);

// Whether `config` asks for an extension that has not begun.
bool wants_extension(const RunConfig& config);

// Settings that were saved before some of the extensions of `whole`, with those that followed.
RunConfig caught_up(RunConfig saved, const RunConfig& whole);

// The settings whose effect depends on how long the run is.
std::vector<std::string> length_schedules(const RunConfig& config);

// One line for the user: what changes with the extension that begins now.
std::string describe_extension(const RunConfig& config);

}  // namespace tarl::train
