// SPDX-License-Identifier: MIT
#include "tarl/train/replay_segments.h"

#include <map>
#include <string>

namespace tarl::train {

namespace {

std::string name_of(std::int64_t segment) {
  return "replay_" + std::to_string(segment);
}

}  // namespace

std::vector<store::Segment> replay_segments(const rl::SegmentedRows& replay) {
  const rl::SegmentRange sealed = replay.sealed();
  std::vector<store::Segment> segments;
  for (std::int64_t segment = sealed.first; segment < sealed.last; ++segment) {
    segments.push_back({name_of(segment), [&replay, segment] {
                          Tensors rows;
                          StateWriter out(rows);
                          replay.save_segment(segment, out);
                          return rows;
                        }});
  }
  return segments;
}

void load_replay_segments(const store::Loaded& checkpoint, rl::SegmentedRows& replay) {
  std::map<std::string, const store::StoredSegment*> stored;
  for (const store::StoredSegment& segment : checkpoint.segments) stored[segment.name] = &segment;
  const rl::SegmentRange sealed = replay.sealed();
  for (std::int64_t segment = sealed.first; segment < sealed.last; ++segment) {
    const auto found = stored.find(name_of(segment));
    if (found == stored.end()) {
      throw Error(checkpoint.folder.string() + ": the replay's segment '" + name_of(segment) +
                  "' is missing");
    }
    const Tensors rows = store::read_segment(*found->second);
    replay.load_segment(StateReader(rows, found->second->path.string()));
  }
}

void save_segments(const rl::SegmentedRows& replay, StateWriter& out) {
  const rl::SegmentRange sealed = replay.sealed();
  for (std::int64_t segment = sealed.first; segment < sealed.last; ++segment) {
    StateWriter rows = out.group(name_of(segment));
    replay.save_segment(segment, rows);
  }
}

void load_segments(const StateReader& in, rl::SegmentedRows& replay) {
  const rl::SegmentRange sealed = replay.sealed();
  for (std::int64_t segment = sealed.first; segment < sealed.last; ++segment) {
    replay.load_segment(in.group(name_of(segment)));
  }
}

}  // namespace tarl::train
