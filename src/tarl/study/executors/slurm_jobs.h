// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "tarl/core/files.h"
#include "tarl/store/run_lock.h"

// What Slurm says about jobs.
namespace tarl::study {

inline constexpr const char* kSlurmFolder = "slurm";  // in the study's

// The array jobs of a study that Slurm still knows, or cannot tell about.
std::vector<std::string> live_slurm_jobs(const fs::path& out);

// Whether that life of a job is over. False while Slurm cannot tell, or its processes may still be
// about.
bool has_ended(const store::BatchJob& job);

}  // namespace tarl::study
