// SPDX-License-Identifier: MIT
#include "tarl/nn/arena.h"

#include <cstdlib>
#include <cstring>
#include <new>

#if defined(__linux__)
#include <sys/mman.h>
#endif

#include "tarl/nn/kernels/kernels.h"

namespace tarl::nn {

namespace {

constexpr std::size_t kHugePage = std::size_t{2} << 20;
constexpr std::size_t kLine = 64;

std::size_t round_up(std::size_t n, std::size_t unit) {
  return (n + unit - 1) / unit * unit;
}

}  // namespace

int padded(int width) {
  return (width + kLanes - 1) / kLanes * kLanes;
}

int row_stride(int width) {
  const int whole = padded(width);
  return whole % 256 == 0 ? whole + kLanes : whole;
}

void Arena::Free::operator()(std::byte* block) const {
  std::free(block);
}

Arena Arena::counting() {
  Arena arena;
  arena.only_counts_ = true;
  return arena;
}

float* Arena::take(std::size_t floats) {
  // Offset by seven cache lines, so that equal rows of equal blocks do not share a cache set.
  const std::size_t bytes = round_up(floats * sizeof(float), kLine) + 7 * kLine;
  total_ += bytes;
  if (only_counts_) return nullptr;
  if (used_ + bytes > capacity_) {
    capacity_ = round_up(bytes, kHugePage);
    auto* block = static_cast<std::byte*>(std::aligned_alloc(kHugePage, capacity_));
    if (block == nullptr) throw std::bad_alloc();
    blocks_.emplace_back(block);
    used_ = 0;
#if defined(__linux__)
    madvise(block, capacity_, MADV_HUGEPAGE);  // best effort: failure only costs speed
#endif
    std::memset(block, 0, capacity_);
  }
  std::byte* start = blocks_.back().get() + used_;
  used_ += bytes;
  return reinterpret_cast<float*>(start);
}

Rows Arena::take_rows(int rows, int width) {
  const int stride = row_stride(width);
  const std::size_t count =
      static_cast<std::size_t>(padded(rows)) * static_cast<std::size_t>(stride);
  return {take(count), stride};
}

}  // namespace tarl::nn
