// SPDX-License-Identifier: MIT
#pragma once

#include "tarl/deploy/header.h"
#include "tarl/deploy/policy_network.h"

namespace tarl::deploy {

// Throw Error or UsageError where no such file can be written: its name has another ending, as
// those of a run folder have, or it is no regular file. For callers that load a policy before.
void require_onnx_name(const fs::path& out);
void require_header_name(const fs::path& out);

// Write the whole file or none (write_file_durably()); return its size in bytes.
std::uint64_t export_onnx(const PolicyNetwork& net, const fs::path& out);
std::uint64_t export_header(const PolicyNetwork& net, const fs::path& out,
                            const HeaderOptions& options = {});

}  // namespace tarl::deploy
