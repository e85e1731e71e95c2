// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <span>
#include <type_traits>

#include "tarl/core/error.h"

namespace tarl::replay {

// A zeroed array whose pages the system allocates on first write: a replay buffer of gigabytes
// starts at once and costs only what is filled.
template <class T>
class ZeroedArray {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  explicit ZeroedArray(std::int64_t count)
      : count_(static_cast<std::size_t>(count)),
        // One more than requested: calloc may return null for zero elements.
        data_(static_cast<T*>(std::calloc(count_ + 1, sizeof(T)))) {
    if (!data_) throw Error("not enough memory for the replay buffer; use a smaller buffer_size");
  }

  T& operator[](std::int64_t i) { return data_.get()[i]; }

  const T& operator[](std::int64_t i) const { return data_.get()[i]; }

  T* data() { return data_.get(); }

  const T* data() const { return data_.get(); }

  std::size_t bytes() const { return count_ * sizeof(T); }

 private:
  struct Free {
    void operator()(T* data) const { std::free(data); }
  };

  std::size_t count_;
  std::unique_ptr<T, Free> data_;
};

}  // namespace tarl::replay
