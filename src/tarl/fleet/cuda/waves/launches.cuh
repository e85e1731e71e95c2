// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>

#include "tarl/fleet/cuda/waves/run_products.cuh"

namespace tarl::fleet {

inline int blocks_for(std::int64_t count, int each) {
  return static_cast<int>((count + each - 1) / each);
}

// Launches the kernels of a wave one after the other until one fails.
template <class Item>
class Launches {
 public:
  Launches(const Item* items, int count, cudaStream_t stream)
      : items_(items), count_(count), stream_(stream) {}

  template <class... Parameters, class... Arguments>
  void run(void (*kernel)(Parameters...), int blocks_each, std::size_t shared,
           Arguments... arguments) {
    if (result != cudaSuccess || blocks_each == 0) return;
    cudaLaunchConfig_t config{};
    config.gridDim.x = static_cast<unsigned>(count_ * blocks_each);
    config.blockDim.x = kBlockThreads;
    config.dynamicSmemBytes = shared;
    config.stream = stream_;
    result = cudaLaunchKernelEx(&config, kernel, items_, arguments...);
  }

  template <class Phase>
  void products(Phase phase, const int* tiles) {
    const int each = tiles[static_cast<int>(phase)];
    run(run_products<Item, Phase>, each, std::max(sizeof(ProductRoom), sizeof(HalfRoom)), phase,
        each);
  }

  // One warp for each of `count` rows.
  void rows(void (*kernel)(const Item*, int), int count) {
    const int each = blocks_for(count, kRowsOfBlock);
    run(kernel, each, 0, each);
  }

  // For `count` numbers; see each_number().
  template <class... Parameters, class... Arguments>
  void numbers(void (*kernel)(const Item*, int, Parameters...), std::int64_t count,
               Arguments... arguments) {
    const int each = blocks_for(count, kNumbersOfBlock);
    run(kernel, each, 0, each, arguments...);
  }

  cudaError_t result = cudaSuccess;

 private:
  const Item* items_;
  int count_;
  cudaStream_t stream_;
};

}  // namespace tarl::fleet
