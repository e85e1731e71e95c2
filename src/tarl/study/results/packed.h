// SPDX-License-Identifier: MIT
//
// A study in one small file, for results that outlive their runs (results/README.md): every
// evaluation as it was, logged means rounded, and of settings and provenance what reports show.
#pragma once

#include <cstdint>
#include <vector>

#include "tarl/core/files.h"
#include "tarl/study/results/run.h"

namespace tarl::study {

inline constexpr const char* kPackedFile = "packed.npz";

// What was packed.
struct PackedSize {
  std::size_t runs = 0, unfinished = 0, evaluations = 0;
  std::uint64_t bytes = 0;  // of all files
};

// Packs the study of a folder into another one: its study.toml, baselines.json and runs. Throws
// UsageError where there is no study to pack, or where the other folder is that of a study with its
// runs, and Error where a run cannot be read.
PackedSize pack_study(const fs::path& study, const fs::path& out);

bool is_packed(const fs::path& folder);

// The runs of a packed study, in the order of their folders. Throws Error where the file is damaged
// or not one of ours.
std::vector<Run> read_packed(const fs::path& folder);

}  // namespace tarl::study
