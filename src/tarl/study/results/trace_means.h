// SPDX-License-Identifier: MIT
#pragma once

#include <map>
#include <string>

#include "tarl/core/files.h"
#include "tarl/statistics/descriptive.h"

namespace tarl::study {

// What such columns begin with.
inline constexpr const char* kTracePrefix = "trace/";

// Adds columns to the logged ones of a run that has a trace (docs/tracing.md): means over the
// traced updates between two rows, over critics, and over all candidates or, with "_kept", over the
// rows learned from:
//   trace/q, trace/q_kept                          predictions
//   trace/offline_error, trace/offline_error_kept  of the target network's targets
//   trace/offline_size, trace/offline_size_kept    their absolute values
//   trace/movement, trace/movement_kept            online targets less offline ones
// Rows without a traced update are NaN. Throws Error where the trace cannot be read.
void add_trace_means(const fs::path& folder, std::map<std::string, statistics::Curve>& columns);

}  // namespace tarl::study
