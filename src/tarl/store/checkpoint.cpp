// SPDX-License-Identifier: MIT
#include "tarl/store/checkpoint.h"

#include <algorithm>
#include <cctype>
#include <set>
#include <string_view>

#include "tarl/store/checkpoint_files.h"

namespace tarl::store {

namespace {

constexpr std::string_view kStep = "step_";
constexpr std::string_view kReplaced = "replaced-step_";
constexpr std::string_view kTemporary = "tmp-";
constexpr std::string_view kManifestFile = "manifest.json";
constexpr int kDigits = 12;

std::string step_name(std::int64_t step) {
  const std::string digits = std::to_string(step);
  require(step >= 0 && digits.size() <= kDigits, "checkpoint step");
  return std::string(kStep) + std::string(kDigits - digits.size(), '0') + digits;
}

std::optional<std::int64_t> parse_step(std::string_view name, std::string_view prefix) {
  if (!name.starts_with(prefix)) return std::nullopt;
  name.remove_prefix(prefix.size());
  if (name.size() != kDigits || name.find_first_not_of("0123456789") != name.npos) {
    return std::nullopt;
  }
  return std::stoll(std::string(name));
}

bool has_size(const fs::path& path, std::uint64_t size) {
  std::error_code missing;
  const std::uintmax_t found = fs::file_size(path, missing);
  return !missing && found == size;
}

void check_name(const std::string& name) {
  for (const char letter : name) {
    const bool plain = std::isalnum(static_cast<unsigned char>(letter)) != 0 || letter == '_' ||
                       letter == '-' || letter == '.';
    require(plain, "segment name");
  }
  require(!name.empty() && name.front() != '.' && !name.starts_with(kTemporary), "segment name");
}

fs::path segment_path(const fs::path& folder, const std::string& name) {
  return folder / "segments" / (name + ".safetensors");
}

fs::path repair_path(const fs::path& folder, const std::string& name) {
  return folder / "repair" / (name + ".repair");
}

// A replay with very many segments has a long list.
Manifest read_manifest(const fs::path& path) {
  return decode_manifest(read_text(path, kMostTable), path.string());
}

// Repairs a damaged segment, which two generations may need, or throws what is wrong with it.
void check_segment(const StoredSegment& segment, const fs::path& repair, Mend mend,
                   std::vector<std::string>& problems) {
  try {
    if (has_size(segment.path, segment.record.digest.size) &&
        digest_file(segment.path) == segment.record.digest) {
      return;
    }
    read_segment(segment);
  } catch (const Error& problem) {
    if (mend == Mend::kNever || !mend_file(segment.path, segment.record, repair)) throw;
    problems.push_back(std::string(problem.what()) + "; mended");
  }
}

}  // namespace

Tensors read_segment(const StoredSegment& segment) {
  return read_tensors(segment.path, segment.record);
}

CheckpointStore::CheckpointStore(fs::path folder, int generations)
    : folder_(std::move(folder)), generations_(generations) {
  require(generations >= 1, "a checkpoint store keeps at least one generation");
}

std::vector<CheckpointStore::Generation> CheckpointStore::list() const {
  std::vector<Generation> found;
  for (const std::string& name : names_in(folder_)) {
    if (const auto step = parse_step(name, kStep)) found.push_back({*step, false, folder_ / name});
    if (const auto step = parse_step(name, kReplaced)) {
      found.push_back({*step, true, folder_ / name});
    }
  }
  std::sort(found.begin(), found.end(), [](const Generation& a, const Generation& b) {
    return a.step != b.step ? a.step > b.step : a.replaced < b.replaced;
  });
  return found;
}

// Files written and removed below them must be ours.
void CheckpointStore::refuse_symlinks() const {
  for (const fs::path& folder : {folder_, folder_ / "segments", folder_ / "repair"}) {
    refuse_symlink(folder);
  }
}

void CheckpointStore::save(std::int64_t step, const Tensors& state,
                           const std::vector<Segment>& segments, const std::string& settings) {
  refuse_symlinks();
  make_directories(folder_);
  remove_leftovers();
  const fs::path temporary = folder_ / (std::string(kTemporary) + step_name(step));
  try {
    store_segments(segments);
    write_generation(temporary, step, state, segments, settings);
    publish(temporary, step);
    ahead_.clear();
  } catch (...) {
    remove_quietly(temporary);
    throw;
  }
  prune(step);
}

void CheckpointStore::write_ahead(const std::vector<Segment>& segments) {
  refuse_symlinks();
  store_segments(segments);
  std::set<std::string> wanted;
  for (const Segment& segment : segments) wanted.insert(segment.name);
  std::erase_if(ahead_, [&](const std::string& name) {
    if (wanted.contains(name)) return false;
    remove_quietly(segment_path(folder_, name));
    remove_quietly(repair_path(folder_, name));
    stored_.erase(name);
    return true;
  });
}

void CheckpointStore::sweep() {
  refuse_symlinks();
  remove_leftovers();
  remove_unused_segments(list());
  ahead_.clear();
}

void CheckpointStore::remove_all() {
  refuse_symlinks();
  for (const Generation& generation : list()) discard(generation);
  stored_.clear();
  ahead_.clear();
  remove_quietly(folder_);
}

std::vector<fs::path> CheckpointStore::leftovers() const {
  std::vector<fs::path> found;
  for (const fs::path& folder : {folder_, folder_ / "segments"}) {
    for (const std::string& name : names_in(folder)) {
      if (name.starts_with(kTemporary)) found.push_back(folder / name);
    }
  }
  return found;
}

void CheckpointStore::remove_leftovers() const {
  for (const fs::path& path : leftovers()) remove_quietly(path);
}

std::vector<fs::path> CheckpointStore::unneeded() const {
  refuse_symlinks();
  std::vector<fs::path> all = leftovers();
  for (fs::path& path : unused_segments(list())) all.push_back(std::move(path));
  return all;
}

void CheckpointStore::store_segments(const std::vector<Segment>& segments) {
  std::map<std::string, FileRecord> added;
  for (const Segment& segment : segments) {
    check_name(segment.name);
    const fs::path path = segment_path(folder_, segment.name);
    const auto known = stored_.find(segment.name);
    if (known != stored_.end() && has_size(path, known->second.digest.size)) continue;
    const fs::path temporary = path.parent_path() / (std::string(kTemporary) + segment.name);
    make_directories(path.parent_path());
    const Tensors tensors = segment.produce();
    try {
      added[segment.name] = write_tensors(temporary, tensors);
      rename_path(temporary, path);
    } catch (...) {
      remove_quietly(temporary);
      throw;
    }
    write_repair_data(repair_path(folder_, segment.name), tensors);
  }
  if (added.empty()) return;
  sync_directory(folder_ / "segments");
  for (const auto& [name, record] : added) ahead_.insert(name);
  added.merge(stored_);
  stored_ = std::move(added);
}

void CheckpointStore::write_generation(const fs::path& path, std::int64_t step,
                                       const Tensors& state, const std::vector<Segment>& segments,
                                       const std::string& settings) const {
  make_directory(path);
  Manifest manifest;
  manifest.step = step;
  manifest.settings = settings;
  manifest.state = write_tensors(path / kStateFile, state);
  for (const Segment& segment : segments) {
    manifest.segments[segment.name] = stored_.at(segment.name);
  }
  const std::string text = encode_manifest(manifest);
  const std::span<const std::byte> pieces[] = {std::as_bytes(std::span(text))};
  write_pieces(path / kManifestFile, pieces);
  sync_directory(path);
}

void CheckpointStore::publish(const fs::path& written, std::int64_t step) const {
  const fs::path path = folder_ / step_name(step);
  std::error_code unknown;
  if (fs::exists(path, unknown)) {
    // A directory cannot be renamed over another; until the second rename the first is loaded under
    // its other name.
    const fs::path aside = folder_ / ("replaced-" + step_name(step));
    remove_quietly(aside);
    rename_path(path, aside);
  }
  rename_path(written, path);
  sync_directory(folder_);
}

void CheckpointStore::prune(std::int64_t step) {
  std::vector<Generation> kept;
  for (const Generation& generation : list()) {
    const bool current = generation.step <= step && !generation.replaced;
    if (current && kept.size() < static_cast<std::size_t>(generations_)) {
      kept.push_back(generation);
      continue;
    }
    discard(generation);
  }
  remove_unused_segments(kept);
}

// Renamed first, so that an interrupted removal leaves nothing that looks like a checkpoint.
void CheckpointStore::discard(const Generation& generation) const {
  const fs::path doomed = folder_ / (std::string(kTemporary) + generation.path.filename().string());
  std::error_code problem;
  fs::rename(generation.path, doomed, problem);
  if (!problem) remove_quietly(doomed);
}

std::vector<fs::path> CheckpointStore::unused_segments(const std::vector<Generation>& kept) const {
  std::set<std::string> used;
  for (const Generation& generation : kept) {
    const fs::path path = generation.path / kManifestFile;
    try {
      for (const auto& [name, record] : read_manifest(path).segments) {
        used.insert(name);
      }
    } catch (const Error&) {
      return {};  // an unreadable generation may still be repaired: keep what it may need
    }
  }
  std::vector<fs::path> unused;
  for (const char* part : {"segments", "repair"}) {
    for (const std::string& name : names_in(folder_ / part)) {
      if (!used.contains(fs::path(name).stem().string())) unused.push_back(folder_ / part / name);
    }
  }
  return unused;
}

void CheckpointStore::remove_unused_segments(const std::vector<Generation>& kept) {
  for (const fs::path& path : unused_segments(kept)) {
    remove_quietly(path);
    stored_.erase(path.stem().string());
  }
}

std::optional<Loaded> CheckpointStore::load_newest(std::vector<std::string>& problems, Mend mend) {
  refuse_symlinks();
  for (const Generation& generation : list()) {
    try {
      return load(generation, mend, problems);
    } catch (const UnknownFormat&) {
      throw;
    } catch (const Error& problem) {
      problems.emplace_back(problem.what());
    }
  }
  return std::nullopt;
}

std::optional<Loaded> CheckpointStore::load_step(std::int64_t step) {
  refuse_symlinks();
  std::string steps;
  std::vector<std::string> mended;
  for (const Generation& generation : list()) {
    if (generation.step == step) return load(generation, Mend::kInPlace, mended);
    steps += (steps.empty() ? "" : ", ") + std::to_string(generation.step);
  }
  if (steps.empty()) return std::nullopt;
  throw Error(folder_.string() + " has no checkpoint of step " + std::to_string(step) +
              "; it has " + steps);
}

Loaded CheckpointStore::load(const Generation& generation, Mend mend,
                             std::vector<std::string>& problems) {
  const fs::path path = generation.path / kManifestFile;
  const Manifest manifest = read_manifest(path);
  if (manifest.step != generation.step) {
    throw Error(path.string() + ": damaged: field 'step' is " + std::to_string(manifest.step));
  }
  Loaded loaded{manifest.step,
                manifest.settings,
                read_tensors(generation.path / kStateFile, manifest.state),
                generation.path,
                {}};
  for (const auto& [name, record] : manifest.segments) {
    loaded.segments.push_back({name, segment_path(folder_, name), record});
    // Through a small buffer: all segments together may not fit in memory.
    check_segment(loaded.segments.back(), repair_path(folder_, name), mend, problems);
  }
  stored_ = manifest.segments;
  return loaded;
}

}  // namespace tarl::store
