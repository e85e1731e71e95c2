// SPDX-License-Identifier: MIT
#pragma once

#include <span>
#include <vector>

#include "tarl/replay/frame_codec.h"
#include "tarl/rl/spec.h"

namespace tarl::fleet {

// The newest frames of a run's environments, packed by the cores that produced them, so that no
// other thread spends time on it.
class SlotFrames {
 public:
  SlotFrames(const rl::ObsSpec& obs, int slots)
      : frame_bytes_(obs.bytes() / static_cast<std::size_t>(obs.frame_stack)),
        slots_(static_cast<std::size_t>(slots), Slot{replay::FrameCodec(frame_bytes_), {}, {}}) {}

  // Takes the observation that follows the last one. Different slots may be used concurrently.
  void arrived(int slot, std::span<const std::byte> obs) {
    Slot& of = slots_[static_cast<std::size_t>(slot)];
    of.before.swap(of.newest);
    const auto packed = of.codec.pack(obs.data() + obs.size() - frame_bytes_);
    of.newest.assign(packed.begin(), packed.end());
  }

  // The frame of the observation before the last one; empty if it is not known.
  std::span<const std::byte> before(int slot) const {
    return slots_[static_cast<std::size_t>(slot)].before;
  }

 private:
  struct alignas(64) Slot {  // on cache lines of its own
    replay::FrameCodec codec;
    std::vector<std::byte> newest, before;
  };

  std::size_t frame_bytes_;
  std::vector<Slot> slots_;
};

}  // namespace tarl::fleet
