// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include "tarl/store/trace.h"
#include "tarl/train/config.h"
#include "tarl/train/learner.h"

namespace tarl::train {

// Throws UsageError if align.trace would write more than store::kMostTrace, with the smallest
// interval that does not.
void refuse_long_trace(const RunConfig& config);

// The trace of the learner's last look() at the next update, after `step` environment steps with a
// replay of that capacity.
store::Trace looked_at(const Learner& learner, std::int64_t step, std::int64_t capacity);

// The same for its last step. Requires learner.is_traced().
store::Trace traced_update(const Learner& learner, std::int64_t step, std::int64_t capacity);

}  // namespace tarl::train
