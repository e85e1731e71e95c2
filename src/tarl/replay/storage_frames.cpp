// SPDX-License-Identifier: MIT
//
// Where the frames of a Storage's rows lie.
#include "tarl/replay/row_flags.h"
#include "tarl/replay/storage.h"

namespace tarl::replay {

void Storage::locate_frames(std::int64_t slot, FramesOfRow& out) const {
  require(slot >= 0 && slot < size(), "the slot is not filled");
  require(out.obs.size() == static_cast<std::size_t>(stack_), "room for another number of frames");
  const std::int64_t number = number_in(slot);
  std::int64_t at = number;
  bool before = false;  // the episode's first frame
  for (int k = stack_ - 1; k >= 0; --k, at -= lanes_) {
    out.obs[static_cast<std::size_t>(k)] = before ? FramesOfRow::kBlack : at;
    before = before || (flags(at) & kFirst) != 0;
  }
  const std::uint8_t row = flags(number);
  out.terminated = (row & kTerminated) != 0;
  out.next = out.terminated                                         ? FramesOfRow::kBlack
             : (row & kTruncated) != 0 || number + lanes_ >= count_ ? FramesOfRow::kLoose
                                                                    : number + lanes_;
  out.action = action_size_ == 0 ? action_index_[place(number)] : 0;
  out.reward = reward_[place(number)];
}

void Storage::next_frame(std::int64_t slot, std::byte* out) const {
  copy_next_frame(number_in(slot), out);
}

}  // namespace tarl::replay
