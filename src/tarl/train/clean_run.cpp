// SPDX-License-Identifier: MIT
#include "tarl/train/clean_run.h"

#include <numeric>
#include <optional>

#include "tarl/core/error.h"
#include "tarl/core/formats/toml.h"
#include "tarl/store/checkpoint.h"
#include "tarl/store/run_files.h"
#include "tarl/store/run_info.h"
#include "tarl/store/run_lock.h"

namespace tarl::train {

namespace {

// Of a file or of everything below a folder, without following links.
std::uint64_t size_of(const fs::path& path) {
  std::error_code unknown;
  if (!fs::is_directory(fs::symlink_status(path, unknown))) {
    const std::uintmax_t size = fs::file_size(path, unknown);
    return unknown ? 0 : size;
  }
  std::uint64_t sum = 0;
  for (fs::recursive_directory_iterator at(path, unknown), end; !unknown && at != end;
       at.increment(unknown)) {
    if (!at->is_regular_file(unknown) || at->is_symlink(unknown)) continue;
    const std::uintmax_t size = at->file_size(unknown);
    if (!unknown) sum += size;
  }
  return sum;
}

bool has_finished(const fs::path& folder) {
  const auto info = store::load_run_info(folder / store::kInfoFile);
  return info && info->status == store::RunStatus::kFinished &&
         fs::exists(folder / store::kModelFile);
}

// Read without resolving: the environment may not be in this build.
bool keeps_checkpoints(const fs::path& folder) {
  const fs::path path = folder / store::kConfigFile;
  return parse_toml(read_text(path), path.string())["checkpoint"]["keep"].value_or(false);
}

std::vector<fs::path> find_unneeded(const fs::path& folder) {
  std::vector<fs::path> found;
  for (const char* name : {store::kConfigFile, store::kInfoFile, store::kModelFile,
                           store::kEvaluationsFile, store::kProgressFile}) {
    const fs::path path = folder / (std::string(name) + kTemporarySuffix);
    if (fs::is_regular_file(fs::symlink_status(path))) found.push_back(path);
  }
  const fs::path checkpoints = folder / store::kCheckpointFolder;
  if (!fs::is_directory(checkpoints)) return found;
  std::vector<fs::path> of_checkpoints = store::CheckpointStore(checkpoints).unneeded();
  if (has_finished(folder) && !keeps_checkpoints(folder)) of_checkpoints = {checkpoints};
  found.insert(found.end(), of_checkpoints.begin(), of_checkpoints.end());
  return found;
}

void remove_item(const fs::path& folder, const fs::path& path) {
  if (path == folder / store::kCheckpointFolder) {
    store::CheckpointStore(path).remove_all();
  } else {
    std::error_code problem;
    fs::remove_all(path, problem);
  }
  if (fs::exists(fs::symlink_status(path))) throw Error("cannot remove " + path.string());
}

}  // namespace

std::uint64_t Unneeded::bytes() const {
  return std::accumulate(items.begin(), items.end(), std::uint64_t{0},
                         [](std::uint64_t sum, const Item& item) { return sum + item.bytes; });
}

Unneeded clean_run(const fs::path& folder, bool remove) {
  Unneeded unneeded;
  if (store::is_in_use(folder)) {
    unneeded.passed_over = "in use";
    return unneeded;
  }
  try {
    if (find_unneeded(folder).empty()) return unneeded;
    std::optional<store::RunLock> lock;
    if (remove) lock.emplace(folder);
    // Checked again: nobody can have started using it since.
    for (const fs::path& path : find_unneeded(folder)) {
      const std::uint64_t bytes = size_of(path);
      if (remove) remove_item(folder, path);
      unneeded.items.push_back({path, bytes});
    }
  } catch (const std::exception& problem) {
    unneeded.passed_over = problem.what();
  }
  return unneeded;
}

}  // namespace tarl::train
