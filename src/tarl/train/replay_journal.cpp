// SPDX-License-Identifier: MIT
#include "tarl/train/replay_journal.h"

#include <map>
#include <string>

namespace tarl::train {

namespace {

std::string name_of(std::int64_t piece) {
  return "replay_" + std::to_string(piece);
}

}  // namespace

std::vector<store::Segment> replay_segments(const rl::Pieces& replay) {
  const rl::PieceRange sealed = replay.sealed();
  std::vector<store::Segment> segments;
  for (std::int64_t piece = sealed.first; piece < sealed.last; ++piece) {
    segments.push_back({name_of(piece), [&replay, piece] {
                          Tensors rows;
                          StateWriter out(rows);
                          replay.save_piece(piece, out);
                          return rows;
                        }});
  }
  return segments;
}

void load_replay_segments(const store::Loaded& checkpoint, rl::Pieces& replay) {
  std::map<std::string, const store::StoredSegment*> stored;
  for (const store::StoredSegment& segment : checkpoint.segments) stored[segment.name] = &segment;
  const rl::PieceRange sealed = replay.sealed();
  for (std::int64_t piece = sealed.first; piece < sealed.last; ++piece) {
    const auto found = stored.find(name_of(piece));
    if (found == stored.end()) {
      throw Error(checkpoint.folder.string() + ": the replay's segment '" + name_of(piece) +
                  "' is missing");
    }
    const Tensors rows = store::read_segment(*found->second);
    replay.load_piece(StateReader(rows, found->second->path.string()));
  }
}

}  // namespace tarl::train
