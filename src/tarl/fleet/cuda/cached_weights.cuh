// SPDX-License-Identifier: MIT
#pragma once

#include <atomic>
#include <cstddef>

#include <cuda_runtime.h>

namespace tarl::fleet {

// Keeps what every step of an agent reads again and again in the device's L2 cache, as long as the
// agents before it left room: half of the cache is for such things. It is faster so, and the same.
class CachedWeights {
 public:
  CachedWeights() = default;
  CachedWeights(const CachedWeights&) = delete;
  CachedWeights& operator=(const CachedWeights&) = delete;

  ~CachedWeights() {
    if (bytes_ > 0 && taken().fetch_sub(bytes_) == bytes_) cudaCtxResetPersistingL2Cache();
  }

  // For the kernels of that stream.
  void hold(cudaStream_t stream, void* weights, std::size_t bytes) {
    static const std::size_t room = set_aside();
    if (taken().fetch_add(bytes) + bytes > room) {
      taken() -= bytes;
      return;
    }
    bytes_ = bytes;
    cudaStreamAttrValue value{};
    value.accessPolicyWindow.base_ptr = weights;
    value.accessPolicyWindow.num_bytes = bytes;
    value.accessPolicyWindow.hitRatio = 1.0F;
    value.accessPolicyWindow.hitProp = cudaAccessPropertyPersisting;
    value.accessPolicyWindow.missProp = cudaAccessPropertyNormal;
    cudaStreamSetAttribute(stream, cudaStreamAttributeAccessPolicyWindow, &value);
  }

 private:
  static std::atomic<std::size_t>& taken() {
    static std::atomic<std::size_t> bytes = 0;
    return bytes;
  }

  // Bytes of the cache that may be held; none where the device does not do so.
  static std::size_t set_aside() {
    int cache = 0, most = 0;
    cudaDeviceGetAttribute(&cache, cudaDevAttrL2CacheSize, 0);
    cudaDeviceGetAttribute(&most, cudaDevAttrMaxPersistingL2CacheSize, 0);
    const auto room = static_cast<std::size_t>(most < cache / 2 ? most : cache / 2);
    return cudaDeviceSetLimit(cudaLimitPersistingL2CacheSize, room) == cudaSuccess ? room : 0;
  }

  std::size_t bytes_ = 0;
};

}  // namespace tarl::fleet
