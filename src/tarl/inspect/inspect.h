// SPDX-License-Identifier: MIT
//
// A look inside one run (docs/inspect.md): what its learner would draw from the newest checkpoint,
// and how it would score and choose.
#pragma once

#include "tarl/core/files.h"
#include "tarl/core/formats/json.h"
#include "tarl/inspect/candidates.h"

namespace tarl::inspect {

struct Inspected {
  fs::path page;   // the HTML file
  fs::path files;  // <name>_files beside it: figures as SVG, candidates.npz
  Json numbers;    // the numbers on the page
};

inline constexpr const char* kCandidatesFile = "candidates.npz";  // as trace.npz, docs/tracing.md

// Writes one self-contained page about the run and a folder beside it; nothing in the run's folder
// changes. The same request gives the same bytes. Throws as draw_candidates(), UsageError if the
// page would be inside the run's folder, or Error if the files cannot be written.
Inspected inspect_run(const Request& request, const fs::path& out);

}  // namespace tarl::inspect
