// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

#include "tarl/fleet/pixel_dqn/cuda/view.cuh"

namespace tarl::fleet::pixel_dqn {

// Device memory in pages, shared by the frames of all agents.
class FramePages {
 public:
  static constexpr std::size_t kPageBytes = std::size_t{2} << 20;

  FramePages() = default;
  ~FramePages();
  FramePages(const FramePages&) = delete;
  FramePages& operator=(const FramePages&) = delete;

  // Throws Error if the device has no memory left.
  unsigned char* take();

  void give_back(unsigned char* page) { free_.push_back(page); }

 private:
  std::vector<void*> chunks_;
  std::vector<unsigned char*> free_;
};

// Where the newest `places` frames of an agent are, by number. Frames of any length lie one behind
// the other in pages; a page is freed when its last frame is dropped.
class FrameRing {
 public:
  FrameRing(std::shared_ptr<FramePages> pages, std::int64_t places)
      : pages_(std::move(pages)), place_(static_cast<std::size_t>(places)) {}

  ~FrameRing();
  FrameRing(const FrameRing&) = delete;
  FrameRing& operator=(const FrameRing&) = delete;

  // Room for the frame of the next number.
  unsigned char* put(std::int64_t number, std::int32_t bytes, bool packed);

  // Requires the number of a frame that was put and is among the newest `places`.
  const FramePlace& at(std::int64_t number) const {
    return place_[static_cast<std::size_t>(number) % place_.size()];
  }

 private:
  struct Page {
    unsigned char* memory = nullptr;
    std::int64_t last = 0;  // number of its newest frame
  };

  std::shared_ptr<FramePages> pages_;
  std::vector<FramePlace> place_;
  std::deque<Page> held_;
  std::size_t used_ = 0;  // bytes in the newest page
};

}  // namespace tarl::fleet::pixel_dqn
