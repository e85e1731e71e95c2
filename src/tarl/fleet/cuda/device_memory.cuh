// SPDX-License-Identifier: MIT
#pragma once

#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include <cuda_runtime.h>

#include "tarl/core/error.h"

namespace tarl::fleet {

inline void check(cudaError_t result, const char* doing) {
  if (result == cudaSuccess) return;
  throw Error(std::string("the GPU failed while ") + doing + ": " + cudaGetErrorString(result));
}

// All arrays of one agent in a single allocation: reserve() them first, then place().
class DeviceMemory {
 public:
  DeviceMemory() = default;
  DeviceMemory(const DeviceMemory&) = delete;
  DeviceMemory& operator=(const DeviceMemory&) = delete;

  ~DeviceMemory() { cudaFree(base_); }

  // Reserves `count` elements; `to` is valid once place() has run.
  template <class T>
  void reserve(T*& to, std::int64_t count) {
    wishes_.push_back({reinterpret_cast<void**>(const_cast<std::remove_const_t<T>**>(&to)), size_});
    size_ += (static_cast<std::size_t>(count) * sizeof(T) + kGrain - 1) / kGrain * kGrain;
  }

  // Allocates and zeroes the memory. Throws Error if the GPU has too little.
  void place() {
    const cudaError_t result = cudaMalloc(&base_, size_);
    if (result == cudaErrorMemoryAllocation) {
      throw Error("the GPU has no memory left for another agent of " + std::to_string(size_ >> 20) +
                  " MiB; run fewer at a time or lower buffer_size");
    }
    check(result, "allocating memory");
    check(cudaMemsetAsync(base_, 0, size_, cudaStreamPerThread), "clearing memory");
    check(cudaStreamSynchronize(cudaStreamPerThread), "clearing memory");
    for (const Wish& wish : wishes_) *wish.to = static_cast<char*>(base_) + wish.offset;
  }

 private:
  static constexpr std::size_t kGrain = 256;

  struct Wish {
    void** to;
    std::size_t offset;
  };

  std::vector<Wish> wishes_;
  std::size_t size_ = 0;
  void* base_ = nullptr;
};

// Copies on the calling thread's own stream, so that no other thread waits.
inline void copy(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind,
                 const char* doing) {
  check(cudaMemcpyAsync(to, from, bytes, kind, cudaStreamPerThread), doing);
  check(cudaStreamSynchronize(cudaStreamPerThread), doing);
}

template <class T>
void upload(std::span<const T> from, std::type_identity_t<T>* to) {
  if (from.empty()) return;
  copy(to, from.data(), from.size_bytes(), cudaMemcpyHostToDevice, "sending data");
}

template <class T>
void upload(const std::vector<T>& from, std::type_identity_t<T>* to) {
  upload(std::span<const T>(from), to);
}

template <class T>
void download(const T* from, std::span<T> to) {
  if (to.empty()) return;
  copy(to.data(), from, to.size_bytes(), cudaMemcpyDeviceToHost, "fetching data");
}

template <class T>
std::vector<T> downloaded(const T* from, std::int64_t count) {
  std::vector<T> to(static_cast<std::size_t>(count));
  download(from, std::span(to));
  return to;
}

}  // namespace tarl::fleet
