// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tarl/train/config.h"

// Extended runs (`train --resume --steps N`). The settings record each extension, and every
// schedule is a function of the settings and the step alone: an extended run resumes bit-exactly
// and can be reproduced from the start.
namespace tarl::train {

// `config.extended.at` of an extension whose start is not known yet.
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

// The smallest total from `steps` on that ends with an evaluation.
std::int64_t next_total(const RunConfig& config, std::int64_t steps);

// The settings of a run that is extended to `steps` steps after `at` of them. The interval between
// evaluations stays. Throws UsageError if it would be no longer, or would not end with an
// evaluation.
RunConfig extended(RunConfig config, std::int64_t steps, std::int64_t at = kNotYet);

// Whether `config` asks for an extension that has not begun.
bool wants_extension(const RunConfig& config);

// Settings saved before some of the extensions of `whole`, with the later extensions added.
RunConfig caught_up(RunConfig saved, const RunConfig& whole);

// The settings whose effect depends on the length of the run.
std::vector<std::string> length_schedules(const RunConfig& config);

// One line for the user: what the extension that begins now changes.
std::string describe_extension(const RunConfig& config);

}  // namespace tarl::train
