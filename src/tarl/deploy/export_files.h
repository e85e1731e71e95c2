// SPDX-License-Identifier: MIT
#pragma once

#include "tarl/deploy/header.h"
#include "tarl/deploy/policy_network.h"

namespace tarl::deploy {

// Throw Error or UsageError if no such file can be written: its name has another extension, as
// files of a run folder have, or it is not a regular file. For callers that check before they load
// a policy.
void require_onnx_name(const fs::path& out);
void require_header_name(const fs::path& out);

// Write the file atomically (write_file_durably()); return its size in bytes.
std::uint64_t export_onnx(const PolicyNetwork& net, const fs::path& out);
std::uint64_t export_header(const PolicyNetwork& net, const fs::path& out,
                            const HeaderOptions& options = {});

}  // namespace tarl::deploy
