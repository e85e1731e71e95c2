// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "tarl/core/files.h"
#include "tarl/core/state.h"

namespace tarl::store {

// What all updates of a trace have in common.
struct TraceShape {
  std::int64_t candidates = 0;  // of an update
  std::int64_t critics = 0;
  std::int64_t replaced = 0;  // 1 if another score than the paper's ranked the rows

  bool operator==(const TraceShape&) const = default;
};

// What updates saw of their candidates and which of them they kept: trace.npz, whose arrays have
// the names of these members (docs/tracing.md).
struct Trace {
  TraceShape shape;

  std::vector<std::int64_t> update;  // [updates] number of the update, from 1
  std::vector<std::int64_t> step;    // [updates] environment steps before it
  std::vector<std::int64_t> lag;     // [updates] updates since the last hard target sync
  std::vector<std::int64_t> slot;    // [updates][candidates] index in the replay
  std::vector<std::int64_t> age;     // environment steps stored since; 0 is the newest
  std::vector<float> reward;
  std::vector<std::uint8_t> terminal;
  std::vector<float> weight;           // raw importance weight
  std::vector<float> q;                // [updates][critics][candidates]
  std::vector<float> y_online;         // likewise
  std::vector<float> y_offline;        // likewise
  std::vector<double> score;           // ranks the rows
  std::vector<double> paper_score;     // the paper's, if `score` replaces it; otherwise empty
  std::vector<std::uint8_t> scenario;  // an align::Scenario
  std::vector<std::uint8_t> kept;      // 1 where the update learned from it

  std::size_t updates() const { return update.size(); }
};

// The largest trace of a run on disk; longer ones are refused before the run begins.
inline constexpr std::uint64_t kMostTrace = 512'000'000;  // bytes

// Bytes of one update in a trace.
std::uint64_t trace_bytes(const TraceShape& shape);

// Appends updates of the same shape.
void append(Trace& trace, const Trace& updates);

// Throws Error if the file was not written by tarl.
Trace read_trace(const fs::path& file);

// Writes a file that read_trace() reads.
void save_trace(const fs::path& file, const Trace& trace);

// The trace of a run in progress. Updates go in blocks to trace.part, which a resume truncates to
// its length at save(); finish() turns it into trace.npz. It holds one block in memory.
//
// A trace that is off is left alone; save() keeps its length, so that a run resumed with it on
// again continues it there.
class TraceLog {
 public:
  TraceLog(fs::path folder, bool on) : folder_(std::move(folder)), on_(on) {}

  void start();  // of a run from its beginning

  // Updates of the same shape as those before.
  void append(const Trace& updates);

  void save(StateWriter& out);       // durable up to here
  void load(const StateReader& in);  // back to the state at save()
  void finish();                     // trace.npz, if anything was traced

 private:
  // A part of trace.part.
  struct Block {
    std::uint64_t offset = 0;  // of its first array
    std::int64_t updates = 0;
  };

  void open(std::int64_t updates);
  bool cut_back(std::int64_t updates);
  void take_back(std::int64_t updates);
  Trace read_block(const Block& block) const;
  void flush();
  void write_npz() const;

  fs::path part() const;

  fs::path folder_;
  bool on_;
  Trace buffer_;  // not yet in the file
  std::optional<AppendFile> file_;
  std::vector<Block> blocks_;
  TraceShape shape_;
  std::int64_t updates_ = 0;  // appended; for a trace that is off, when it was last on
};

}  // namespace tarl::store
