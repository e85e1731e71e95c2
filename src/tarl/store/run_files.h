// SPDX-License-Identifier: MIT
#pragma once

#include <array>

namespace tarl::store {

// The files of a run folder (docs/run-folder.md).
inline constexpr const char* kConfigFile = "config.toml";
inline constexpr const char* kInfoFile = "run.json";
inline constexpr const char* kModelFile = "model.safetensors";
inline constexpr const char* kBestModelFile = "best_model.safetensors";
inline constexpr const char* kCheckpointFolder = "checkpoints";
inline constexpr const char* kEvaluationsFile = "evaluations.npz";
inline constexpr const char* kEvaluationsTable = "evaluations.csv";
inline constexpr const char* kProgressFile = "progress.csv";
inline constexpr const char* kTimingFile = "timing.csv";  // clock times: differ between equal runs
inline constexpr const char* kMonitorFile = "monitor.csv";
inline constexpr const char* kEventsFile = "events.out.tfevents.0.tarl";
inline constexpr const char* kTraceFile = "trace.npz";   // of a finished run
inline constexpr const char* kTracePart = "trace.part";  // of a run under way
inline constexpr const char* kTrainLog = "train.log";    // of a run started by a study
inline constexpr const char* kLockFile = "lock";
inline constexpr const char* kNonfiniteBatch = "nonfinite_batch.safetensors";

// All of them.
inline constexpr std::array kRunFiles = {
    kConfigFile,       kInfoFile,        kModelFile,        kBestModelFile,
    kCheckpointFolder, kEvaluationsFile, kEvaluationsTable, kProgressFile,
    kTimingFile,       kMonitorFile,     kEventsFile,       kTraceFile,
    kTracePart,        kTrainLog,        kLockFile,         kNonfiniteBatch};

}  // namespace tarl::store
