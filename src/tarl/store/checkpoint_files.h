// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "tarl/core/files.h"
#include "tarl/core/state.h"
#include "tarl/store/checkpoint_manifest.h"

namespace tarl::store {

// Writes a safetensors file and fsyncs it; its directory entry is the caller's.
FileRecord write_tensors(const fs::path& path, const Tensors& tensors);

// Throws Error that names the file and the field when it is not as it was written.
Tensors read_tensors(const fs::path& path, const FileRecord& record);

// Writes what could mend that file later. Not durable, and no reason to stop where it fails.
void write_repair_data(const fs::path& path, const Tensors& tensors);

// Puts a damaged file back as it was, durably; false where `repair` cannot tell.
bool mend_file(const fs::path& path, const FileRecord& record, const fs::path& repair);

// The names in a folder; none where it does not exist.
std::vector<std::string> names_in(const fs::path& folder);

// Space that cannot be given back is no reason to stop: the next save tries again.
void remove_quietly(const fs::path& path);

}  // namespace tarl::store
