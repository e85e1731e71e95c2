// SPDX-License-Identifier: MIT
#pragma once

#include <span>

#include "tarl/core/formats/json.h"
#include "tarl/study/plan/estimate.h"
#include "tarl/study/plan/study.h"
#include "tarl/study/results/run_state.h"

namespace tarl::cli {

// Studies as JSON for programs (docs/json.md).
Json study_json(const study::Study& study);
Json status_json(const study::Study& study, const fs::path& out,
                 std::span<const study::PlannedRun> runs, const study::Survey& survey);
Json estimate_json(std::span<const study::PlannedRun> runs, const study::Estimate& estimate,
                   std::size_t at_once);

}  // namespace tarl::cli
