// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <span>
#include <string>
#include <vector>

#include "tarl/core/state.h"
#include "tarl/core/threads.h"
#include "tarl/replay/frames.h"
#include "tarl/replay/memory.h"
#include "tarl/rl/replay.h"

namespace tarl::replay {

inline constexpr const char* kStorageGroup = "storage";  // of a replay's state

// The arrays of a storage, borrowed: [row] by position in the ring, one row per transition held.
template <template <class> class Span>
struct BasicStorageRows {
  Span<std::byte> frames;
  Span<std::int32_t> action_index;  // of discrete actions
  Span<float> action;               // of others
  Span<float> reward;
  Span<std::uint8_t> flags;     // row_flags.h
  Span<std::byte> newest_next;  // [lane]
};

template <class T>
using ConstSpan = std::span<const T>;
template <class T>
using MutableSpan = std::span<T>;
using StorageRows = BasicStorageRows<MutableSpan>;
using ConstStorageRows = BasicStorageRows<ConstSpan>;

// Where the frames of a transition lie, for copies of them elsewhere.
struct FramesOfRow {
  static constexpr std::int64_t kBlack = -1;  // zeros
  static constexpr std::int64_t kLoose = -2;  // in no row: see next_frame()

  std::span<std::int64_t> obs;  // numbers of the rows, oldest frame first; the caller's
  std::int64_t next = kBlack;   // of the frame that follows; what goes before it is of `obs`
  std::int32_t action = 0;
  float reward = 0;
  bool terminated = false;  // then the next observation is black
};

// A ring of transitions that holds every observation once.
//
// Transitions are numbered 0, 1, 2, ... in order of arrival; number n is in slot n % capacity.
// Parallel environments ("lanes") take turns, so n belongs to lane n % lanes and the same lane
// continues at n + lanes. The next observation of n is therefore the observation of n + lanes, and
// only three cases need more: the newest transition of a lane (a separate block), a truncated
// episode (a list of final observations) and a terminated one (zeros: its discount is 0).
//
// Only the newest of stacked frames is stored at each step; stacks are assembled on reading. The
// ring is slightly longer than the capacity so that the oldest transition still has its history.
class Storage final : public rl::SegmentedRows {
 public:
  struct Options {
    // Largest segment: written in a few dozen milliseconds; a million Atari frames make a thousand
    // segments. A storage smaller than two segments has none.
    std::size_t segment_bytes = std::size_t{8} << 20;
    bool packed = false;   // frames take less memory and more time; requires ObsKind::kBytes
    Team* team = nullptr;  // gathers large rows together; must outlive the storage
  };

  // `capacity` is rounded down to a multiple of `lanes`. Requires lanes > 0; throws UsageError if
  // the capacity is below `lanes`.
  Storage(const rl::ObsSpec& obs, const rl::ActionSpec& action, std::int64_t capacity, int lanes,
          const Options& options);

  Storage(const rl::ObsSpec& obs, const rl::ActionSpec& action, std::int64_t capacity, int lanes)
      : Storage(obs, action, capacity, lanes, Options{}) {}

  // Bytes of a full storage, without final observations, if frames are not packed.
  static double bytes_needed(const rl::ObsSpec& obs, const rl::ActionSpec& action,
                             std::int64_t capacity, int lanes);

  std::int64_t capacity() const { return capacity_; }

  std::int64_t size() const { return count_ < capacity_ ? count_ : capacity_; }

  std::int64_t count() const { return count_; }  // transitions ever added

  int lanes() const { return lanes_; }

  std::size_t memory_bytes() const;

  // Stores a transition and returns its slot. Requires the lanes in turn, and that an episode
  // continues with the observation at which its last step ended. `packed` is what FrameCodec makes
  // of the observation's newest frame, where somebody has done that already.
  std::int64_t add(const rl::Transition& transition, std::span<const std::byte> packed = {});

  // The newest transition of a lane was its episode's last, truncated. Requires whole turns of the
  // lanes.
  void truncate(int lane);

  // Fills `out` with n-step transitions from the given slots: up to `n_steps` steps, fewer at an
  // episode's end or at the newest transition. Requires filled slots and a batch large enough.
  void gather(std::span<const std::int64_t> slots, int n_steps, double gamma, rl::Batch& out) const;

  // The newest frames of observations, one a row, are numbered as rows are: held are those from
  // first_held() on. For copies of them elsewhere: the frame as it is kept, packed or not; where
  // the frames of a filled slot are, with room in `out.obs` for frame_stack of them; and the one
  // that follows a slot's, wherever it lies.
  std::int64_t first_held() const { return count_ < ring_ ? 0 : count_ - ring_; }

  std::int64_t ring() const { return ring_; }

  bool packed() const { return frames_.packed(); }

  std::span<const std::byte> kept_frame(std::int64_t number) const { return frames_.kept(number); }

  void locate_frames(std::int64_t slot, FramesOfRow& out) const;
  void next_frame(std::int64_t slot, std::byte* out) const;

  // For code that computes on the rows: everything but the final observations of truncated
  // episodes. Requires frames that are not packed.
  StorageRows rows();
  ConstStorageRows rows() const;

  // Makes this a storage of `count` transitions, whose rows the caller then fills in.
  void set_count(std::int64_t count);

  // Rows are immutable once stored, so a segment can be written once and for all; rows that the
  // ring has dropped since are skipped on loading. save() writes everything else; load() is
  // followed by the sealed segments, in any order. Throws Error if the state belongs to a storage
  // of another shape.
  rl::SegmentRange sealed() const override;
  void save_segment(std::int64_t segment, StateWriter& out) const override;
  void save(StateWriter& out) const;
  void load(const StateReader& in);

  void load_segment(const StateReader& in) override { load_rows(in); }

 private:
  struct Final {
    std::int64_t number = 0;
    std::vector<std::byte> frame;
  };

  std::vector<std::int64_t> shape() const;
  void save_rows(std::int64_t first, std::int64_t last, StateWriter& out) const;
  void load_rows(const StateReader& in);
  static void save_finals(const std::deque<Final>& finals, std::int64_t first, std::int64_t last,
                          const std::string& name, StateWriter& out);
  std::deque<Final> load_finals(const std::string& name, const StateReader& in) const;
  std::int64_t number_in(std::int64_t slot) const;

  std::int64_t place(std::int64_t number) const { return number % ring_; }

  std::uint8_t flags(std::int64_t number) const { return flags_[place(number)]; }

  void copy_frames(std::int64_t number, int frames, std::byte* out) const;
  void copy_next_frame(std::int64_t number, std::byte* out) const;
  void gather_row(std::int64_t number, int n_steps, double gamma, int row, rl::Batch& out) const;
  void gather_rows(std::span<const std::int64_t> slots, int n_steps, double gamma, Range rows,
                   rl::Batch& out) const;

  template <class Rows, class Self>
  static Rows rows_of(Self& self);

  void mark_truncated(const Final& last);

  // Calls visit(array, elements per row, name) for each array of rows but the frames.
  template <class Self, class Visit>
  static void for_each_array(Self& self, Visit visit);

  std::int64_t capacity_;
  int lanes_;
  int stack_;                  // frames of an observation
  std::size_t frame_bytes_;    // one frame
  int action_size_;            // 0 for discrete actions
  std::int64_t ring_;          // rows kept: the capacity and the history of the oldest
  std::int64_t segment_rows_;  // 0 if there are no segments
  Team* team_;                 // or null
  std::int64_t count_ = 0;
  Frames frames_;                           // [ring]
  ZeroedArray<std::int32_t> action_index_;  // [ring], or none
  ZeroedArray<float> action_;               // [ring][action_size]
  ZeroedArray<float> reward_;               // [ring]
  ZeroedArray<std::uint8_t> flags_;         // [ring]
  std::vector<std::byte> newest_next_;      // [lanes][frame_bytes]
  std::deque<Final> finals_;                // of truncated episodes, by number
  std::deque<Final> late_;                  // those truncated when they were stored already
};

}  // namespace tarl::replay
