// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "tarl/core/files.h"
#include "tarl/report/content.h"

namespace tarl::report {

// Numbers for other programs.
std::string runs_csv(const Scene& scene);        // one row per run: every metric
std::string curves_csv(const Scene& scene);      // one row per evaluation
std::string summary_csv(const Scene& scene);     // mean, SD and interval by algorithm
std::string aggregates_csv(const Scene& scene);  // over environments and seeds, by algorithm
// Every comparison, per environment and over all of them, with everything the page says about it.
std::string comparisons_csv(const Scene& scene);
std::string comparisons_json(const Scene& scene);
// Every evaluation episode of the runs in the tables, at their own evaluation steps, in marl-eval's
// layout: family, task, algorithm, seed, step.
std::string results_json(const Scene& scene);

// Writes scores.npz (normalised final scores) and nauc.npz in rliable's shape, one array [runs,
// tasks] per algorithm, and scores.json, which names seeds and tasks. The arrays hold only seeds
// that an algorithm has in all of its tasks.
void write_score_arrays(const Scene& scene, const fs::path& folder);

}  // namespace tarl::report
