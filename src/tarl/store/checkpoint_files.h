// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "tarl/core/files.h"
#include "tarl/core/state.h"
#include "tarl/store/checkpoint_manifest.h"

namespace tarl::store {

// Writes a safetensors file and fsyncs it; the caller syncs its directory entry.
FileRecord write_tensors(const fs::path& path, const Tensors& tensors);

// Throws Error that names the file and the field if it is not as written.
Tensors read_tensors(const fs::path& path, const FileRecord& record);

// Writes repair data for that file. Not durable; a failure is ignored.
void write_repair_data(const fs::path& path, const Tensors& tensors);

// Restores a damaged file, durably; false if the repair data do not suffice.
bool mend_file(const fs::path& path, const FileRecord& record, const fs::path& repair);

// The names in a folder; none if it does not exist.
std::vector<std::string> names_in(const fs::path& folder);

// A failure to free space is ignored: the next save tries again.
void remove_quietly(const fs::path& path);

}  // namespace tarl::store
