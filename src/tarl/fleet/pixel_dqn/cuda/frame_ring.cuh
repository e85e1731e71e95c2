// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

#include "tarl/fleet/pixel_dqn/cuda/view.cuh"

namespace tarl::fleet::pixel_dqn {

// Memory of the device in pages that the frames of all agents share.
class FramePages {
 public:
  static constexpr std::size_t kPageBytes = std::size_t{2} << 20;

  FramePages() = default;
  ~FramePages();
  FramePages(const FramePages&) = delete;
  FramePages& operator=(const FramePages&) = delete;

  // Throws Error where the device has no memory left.
  unsigned char* take();

  void give_back(unsigned char* page) { free_.push_back(page); }

 private:
  std::vector<void*> chunks_;
  std::vector<unsigned char*> free_;
};

// Where the newest `places` frames of an agent lie, by number. Frames are as long as they are, one
// behind the other in pages; a page is free again when its last frame is forgotten.
class FrameRing {
 public:
  FrameRing(std::shared_ptr<FramePages> pages, std::int64_t places)
      : pages_(std::move(pages)), place_(static_cast<std::size_t>(places)) {}

  ~FrameRing();
  FrameRing(const FrameRing&) = delete;
  FrameRing& operator=(const FrameRing&) = delete;

  // Room for the frame of the next number.
  unsigned char* put(std::int64_t number, std::int32_t bytes, bool packed);

  // Requires a number that was put and is not `places` behind.
  const FramePlace& at(std::int64_t number) const {
    return place_[static_cast<std::size_t>(number) % place_.size()];
  }

 private:
  struct Page {
    unsigned char* memory = nullptr;
    std::int64_t last = 0;  // number of the newest frame in it
  };

  std::shared_ptr<FramePages> pages_;
  std::vector<FramePlace> place_;
  std::deque<Page> held_;
  std::size_t used_ = 0;  // bytes of the newest page
};

}  // namespace tarl::fleet::pixel_dqn
