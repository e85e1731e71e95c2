// SPDX-License-Identifier: MIT
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tarl/cli/args.h"
#include "tarl/study/executors/slurm_executor.h"
#include "tarl/study/plan/estimate.h"

// Who does the work of `tarl study run`, as its options say.
namespace tarl::cli {

inline constexpr double kEstimateSeconds = 3;  // of measuring for an estimate
inline constexpr std::int64_t kMostTasks = 1000;

enum class ExecutorKind { kLocal, kSlurm, kFleet };

// Throws UsageError where there is no such executor, or it does not go with the other options.
ExecutorKind executor_kind(const Args& args);

int jobs_of(const Args& args);
int retries_of(const Args& args);

// The parts of a text between the letters `between`, without empty ones.
std::vector<std::string> words_of(const std::string& text, char between);

// Measures `estimate` where it is needed and not given: how many runs fit one GPU.
study::SlurmOptions slurm_options(const Args& args, const study::Study& study, const fs::path& out,
                                  const std::optional<study::Estimate>& estimate = {});

std::unique_ptr<study::Executor> make_executor(const Args& args, const study::Study& study,
                                               const fs::path& out);

}  // namespace tarl::cli
