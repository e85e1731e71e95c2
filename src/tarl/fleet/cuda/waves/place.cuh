// SPDX-License-Identifier: MIT
#pragma once

#include "tarl/fleet/cuda/shared_memory.cuh"
#include "tarl/fleet/cuda/waves/product.h"

namespace tarl::fleet {

// The item that a block works on, and the block's index among the item's blocks.
template <class Item>
struct PlaceOf {
  const Item& item;
  decltype(*Item::view) view;
  int block;

  __device__ static PlaceOf of(const Item* items, int blocks_each) {
    const int block = static_cast<int>(blockIdx.x);
    const Item& item = items[block / blocks_each];
    return {item, *item.view, block % blocks_each};
  }
};

inline constexpr int kRowsOfBlock = kBlockThreads / 32;  // with one warp per row

__device__ inline int thread_of_block() {
  return static_cast<int>(threadIdx.x);
}

__device__ inline int lane_of_warp() {
  return thread_of_block() % 32;
}

template <class Place>
__device__ int row_of_warp(const Place& place) {
  return place.block * kRowsOfBlock + thread_of_block() / 32;
}

// Numbers of a long array, each block taking a range of its own.
inline constexpr int kNumbersOfThread = 4;
inline constexpr int kNumbersOfBlock = kNumbersOfThread * kBlockThreads;

template <class Place, class Each>
__device__ void each_number(const Place& place, int size, Each each) {
#pragma unroll
  for (int i = 0; i < kNumbersOfThread; ++i) {
    const int at = place.block * kNumbersOfBlock + i * kBlockThreads + thread_of_block();
    if (at < size) each(at);
  }
}

}  // namespace tarl::fleet
