// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

namespace tarl::nn {

// Rows of floats at a common stride; a view that owns nothing.
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

// Distance between rows of that width: padded, and moved off powers of two, where neighbouring
// rows would fall on the same cache sets.
int row_stride(int width);

// All memory of one learner: cache-line aligned, zeroed, on huge pages where the system has them.
// Taken once, at construction; freed with the arena.
class Arena {
 public:
  // An arena that hands out nothing and only counts what would be taken, so that a network too
  // large for the machine is known before any of it is there.
  static Arena counting();

  bool only_counts() const { return only_counts_; }

  float* take(std::size_t floats);

  // Room for `rows` rows (rounded up to whole vectors, as transposes need) of `width` floats.
  Rows take_rows(int rows, int width);

  std::size_t bytes() const { return total_; }  // of everything taken so far

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
