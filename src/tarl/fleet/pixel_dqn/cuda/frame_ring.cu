// SPDX-License-Identifier: MIT
#include "tarl/fleet/cuda/device_memory.cuh"
#include "tarl/fleet/pixel_dqn/cuda/frame_ring.cuh"

namespace tarl::fleet::pixel_dqn {

namespace {

constexpr std::size_t kPagesAtOnce = 32;  // allocated on the device

}  // namespace

FramePages::~FramePages() {
  for (void* chunk : chunks_) cudaFree(chunk);
}

unsigned char* FramePages::take() {
  if (free_.empty()) {
    void* chunk = nullptr;
    const cudaError_t result = cudaMalloc(&chunk, kPagesAtOnce * kPageBytes);
    if (result == cudaErrorMemoryAllocation) {
      throw Error(
          "the GPU has no memory left for the frames of its agents; run fewer at a time, set "
          "replay.compress = true or lower buffer_size");
    }
    check(result, "asking for memory");
    chunks_.push_back(chunk);
    for (std::size_t page = kPagesAtOnce; page-- > 0;) {
      free_.push_back(static_cast<unsigned char*>(chunk) + page * kPageBytes);
    }
  }
  unsigned char* const page = free_.back();
  free_.pop_back();
  return page;
}

FrameRing::~FrameRing() {
  for (const Page& page : held_) pages_->give_back(page.memory);
}

unsigned char* FrameRing::put(std::int64_t number, std::int32_t bytes, bool packed) {
  const auto places = static_cast<std::int64_t>(place_.size());
  // A frame may be dropped while it is still on its way.
  while (held_.size() > 1 && held_.front().last <= number - places - kStagedFrames) {
    pages_->give_back(held_.front().memory);
    held_.pop_front();
  }
  const std::size_t room =
      (static_cast<std::size_t>(bytes) + kFrameGrain - 1) / kFrameGrain * kFrameGrain;
  if (held_.empty() || used_ + room > FramePages::kPageBytes) {
    held_.push_back({pages_->take(), number});
    used_ = 0;
  }
  unsigned char* const at = held_.back().memory + used_;
  used_ += room;
  held_.back().last = number;
  place_[static_cast<std::size_t>(number) % place_.size()] = {at, bytes, packed};
  return at;
}

}  // namespace tarl::fleet::pixel_dqn
