// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

namespace tarl::nn {

// A non-owning view of rows of floats with a common stride.
struct Rows {
  float* data = nullptr;
  int stride = 0;

  float* row(int i) const { return data + static_cast<long>(i) * stride; }

  explicit operator bool() const { return data != nullptr; }
};

struct ConstRows {
  const float* data = nullptr;
  int stride = 0;

  ConstRows() = default;

  ConstRows(const float* rows, int distance) : data(rows), stride(distance) {}

  ConstRows(const Rows& rows) : data(rows.data), stride(rows.stride) {}  // NOLINT: a view of a view

  const float* row(int i) const { return data + static_cast<long>(i) * stride; }

  explicit operator bool() const { return data != nullptr; }
};

// Width rounded up to whole vectors.
int padded(int width);

// Stride of rows of that width: padded, and moved off powers of two, at which neighbouring rows
// would map to the same cache sets.
int row_stride(int width);

// All memory of one learner: cache-line aligned, zeroed, on huge pages if the system has them.
// Allocated once and freed with the arena.
class Arena {
 public:
  // An arena that only counts what would be allocated, to check whether a network fits the machine
  // before allocating anything.
  static Arena counting();

  bool only_counts() const { return only_counts_; }

  float* take(std::size_t floats);

  // Allocates `rows` rows (rounded up to whole vectors, as transposes need) of `width` floats.
  Rows take_rows(int rows, int width);

  std::size_t bytes() const { return total_; }  // allocated so far

 private:
  struct Free {
    void operator()(std::byte* block) const;
  };

  std::vector<std::unique_ptr<std::byte, Free>> blocks_;
  std::size_t used_ = 0;
  std::size_t capacity_ = 0;
  std::size_t total_ = 0;
  bool only_counts_ = false;
};

}  // namespace tarl::nn
