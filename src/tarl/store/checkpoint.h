// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "tarl/core/files.h"
#include "tarl/core/state.h"
#include "tarl/store/checkpoint_manifest.h"

namespace tarl::store {

// A part of the state that never changes once it exists (a full segment of replay). It is written
// once, into segments/<name>.safetensors, and shared by the checkpoints that name it.
struct Segment {
  std::string name;                  // letters, digits, '_', '-' and '.'; one name, one content
  std::function<Tensors()> produce;  // called only if the segment is not stored yet
};

struct StoredSegment {
  std::string name;
  fs::path path;
  FileRecord record;
};

// Reads one segment of a loaded checkpoint. Throws Error if it changed since it was checked.
Tensors read_segment(const StoredSegment& segment);

// What loading does with a repairable damaged segment, which two generations may share.
enum class Mend { kInPlace, kNever };

struct Loaded {
  std::int64_t step = 0;
  std::string settings;  // as passed to save(); empty if an earlier version saved it
  Tensors state;
  fs::path folder;
  std::vector<StoredSegment> segments;  // by name

  StateReader reader() const { return {state, (folder / "state.safetensors").string()}; }
};

// The checkpoints of one run, in their own folder:
//   step_<12 digits>/{state.safetensors, manifest.json}   one generation
//   segments/<name>.safetensors                           shared parts
//   repair/<name>.repair                                  their repair data (segment_repair.h)
//   tmp-*                                                 being written or removed; never read
//   replaced-step_<12 digits>                             the older of two saves of one step
// A generation appears by one rename, after everything in it is on disk, and the ones it replaces
// are removed only after that rename is on disk: at every instant a complete generation can be
// loaded. One process writes at a time (RunLock); reading takes no lock and writes nothing, except
// that a damaged segment is repaired in place if the reader allows it. Neither follows a symlink in
// the place of one of these folders.
class CheckpointStore {
 public:
  explicit CheckpointStore(fs::path folder, int generations = 2);

  // Durable when it returns. On failure (disk full, ...) throws Error and leaves every earlier
  // generation as it was. Saving step t makes generations of later steps obsolete and removes them.
  // `settings` are those the state was computed with.
  void save(std::int64_t step, const Tensors& state, const std::vector<Segment>& segments = {},
            const std::string& settings = "");

  // Writes segments ahead of the save() that will name them, and removes those written ahead that
  // are no longer listed. A crash leaves files that the next save() removes.
  void write_ahead(const std::vector<Segment>& segments);

  // Removes what no generation names: for a run that will not save again.
  void sweep();

  // What sweep() would remove.
  std::vector<fs::path> unneeded() const;

  // Removes all of them: for a run that no longer needs any.
  void remove_all();

  // The newest intact generation, checked to the last byte. Each damaged one met on the way adds a
  // line to `problems` that names the file and the field. Throws Error if the newest was written in
  // a format that this version does not read.
  std::optional<Loaded> load_newest(std::vector<std::string>& problems, Mend mend = Mend::kInPlace);

  // The generation of that step. Throws Error if it is damaged or missing; the message lists those
  // available.
  std::optional<Loaded> load_step(std::int64_t step);

 private:
  struct Generation {
    std::int64_t step = 0;
    bool replaced = false;
    fs::path path;
  };

  std::vector<Generation> list() const;  // newest first
  Loaded load(const Generation& generation, Mend mend, std::vector<std::string>& problems);
  void refuse_symlinks() const;
  void discard(const Generation& generation) const;
  std::vector<fs::path> leftovers() const;
  std::vector<fs::path> unused_segments(const std::vector<Generation>& kept) const;
  void remove_leftovers() const;
  void store_segments(const std::vector<Segment>& segments);
  void write_generation(const fs::path& path, std::int64_t step, const Tensors& state,
                        const std::vector<Segment>& segments, const std::string& settings) const;
  void publish(const fs::path& written, std::int64_t step) const;
  void prune(std::int64_t step);
  void remove_unused_segments(const std::vector<Generation>& kept);

  fs::path folder_;
  int generations_;
  std::map<std::string, FileRecord> stored_;  // segments known to be on disk and good
  std::set<std::string> ahead_;               // those that no generation names yet
};

}  // namespace tarl::store
