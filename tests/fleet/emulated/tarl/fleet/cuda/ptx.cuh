// SPDX-License-Identifier: MIT
//
// The instructions of src/tarl/fleet/cuda/ptx.cuh, emulated on the CPU.
#pragma once

#include <algorithm>
#include <bit>
#include <cfloat>
#include <cmath>

#include "fleet/emulated/products.h"
#include <cuda_fp16.h>

namespace tarl::fleet::ptx {

inline std::uint32_t shared_address(const void* p) {
  return emulated::shared_address(p);
}

inline int thread_index() {
  return static_cast<int>(threadIdx.x);
}

inline std::uint32_t load_now(const std::uint32_t* p) {
  return *p;
}

inline void sleep(unsigned /*nanoseconds*/) {}

template <class T>
T* global(T* p) {
  return p;
}

template <class T>
T* shared(T* p) {
  return p;
}

inline void mma(float (&d)[4], std::uint32_t a0, std::uint32_t a1, std::uint32_t a2,
                std::uint32_t a3, std::uint32_t b0, std::uint32_t b1) {
  emulated::Mma mine{d, {a0, a1, a2, a3}, {b0, b1}};
  emulated::together(emulated::Collective::kProduct, &mine, emulated::multiply_mma);
}

inline void mma_tf32(float (&d)[4], float a0, float a1, float a2, float a3, float b0, float b1) {
  emulated::MmaTf32 mine{d, {a0, a1, a2, a3}, {b0, b1}};
  emulated::together(emulated::Collective::kProduct, &mine, emulated::multiply_mma_tf32);
}

inline float to_tf32(float value) {
  return std::bit_cast<float>(std::bit_cast<std::uint32_t>(value) + 0x1000U);
}

inline std::uint32_t pack(float low, float high) {
  return __float2half_rn(low).bits | static_cast<std::uint32_t>(__float2half_rn(high).bits) << 16;
}

inline std::uint32_t pack_relu(float low, float high) {
  return pack(low < 0 ? 0.0F : low, high < 0 ? 0.0F : high);
}

inline std::uint32_t pack_finite(float low, float high) {
  return pack(std::clamp(low, -65504.0F, 65504.0F), std::clamp(high, -65504.0F, 65504.0F));
}

inline std::uint32_t where_not_zero(std::uint32_t halves) {
  return ((halves & 0x7FFFU) != 0 ? 0xFFFFU : 0U) |
         ((halves & 0x7FFF0000U) != 0 ? 0xFFFF0000U : 0U);
}

inline std::uint32_t pack_clamped(std::int32_t low, std::int32_t high) {
  const auto clamped = [](std::int32_t x) {
    return static_cast<std::uint32_t>(std::clamp(x, -32768, 32767)) & 0xFFFFU;
  };
  return clamped(low) | clamped(high) << 16;
}

inline void load_matrices(std::uint32_t (&r)[4], std::uint32_t address) {
  emulated::Matrices mine{r, address};
  emulated::together(emulated::Collective::kMatrices, &mine, emulated::load_matrices);
}

inline void load_matrices_transposed(std::uint32_t (&r)[4], std::uint32_t address) {
  emulated::Matrices mine{r, address};
  emulated::together(emulated::Collective::kMatrices, &mine, emulated::load_matrices_transposed);
}

inline float flushed_to_zero(float x) {
  return std::fabs(x) < FLT_MIN ? std::copysign(0.0F, x) : x;
}

inline float approximate_sqrt(float x) {
  return std::sqrt(flushed_to_zero(x));
}

inline float approximate_reciprocal_sqrt(float x) {
  return static_cast<float>(1.0 / std::sqrt(double{x}));
}

inline float approximate_reciprocal(float x) {
  return flushed_to_zero(1.0F / flushed_to_zero(x));
}

inline void barrier_init(std::uint32_t barrier, int arrivals) {
  emulated::barrier_init(barrier, static_cast<std::uint32_t>(arrivals));
}

inline void barrier_expect(std::uint32_t barrier, std::uint32_t bytes) {
  emulated::barrier_arrive(barrier, bytes);
}

inline void barrier_arrive(std::uint32_t barrier) {
  emulated::barrier_arrive(barrier, 0);
}

inline void barrier_wait(std::uint32_t barrier, std::uint32_t phase) {
  emulated::barrier_wait(barrier, phase);
}

inline constexpr std::uint64_t kOften = 0, kOnce = 0;  // no cache is emulated

inline void bulk_load(std::uint32_t to, const void* from, std::uint32_t bytes,
                      std::uint32_t barrier, std::uint64_t /*hint*/) {
  emulated::bulk_load(to, from, bytes, barrier);
}

inline void copy_four(std::uint32_t to, const void* from) {
  emulated::copy_bytes(to, from, 4);
}

inline void copy_eight(std::uint32_t to, const void* from) {
  emulated::copy_bytes(to, from, 8);
}

template <int kTo>
void copy_sixteen(std::uint32_t to, const void* from) {
  emulated::copy_bytes(to + kTo, from, 16);
}

template <int kApart, int kFrom>
void copy_three_once(std::uint32_t to, const void* from) {
  for (int i = 0; i < 3; ++i) {
    emulated::copy_bytes(to + i * kApart, static_cast<const std::byte*>(from) + kFrom + i * kApart,
                         16);
  }
}

template <int kTo, class T>
void store_sixteen_once(std::byte* to, const T& value) {
  static_assert(sizeof(T) == 16);
  *reinterpret_cast<T*>(to + kTo) = value;
}

inline void wait_for_copies() {
  emulated::commit_copies();
  emulated::wait_for_copies(0);
}

inline void commit_copies() {
  emulated::commit_copies();
}

template <int kBut>
void wait_for_copies_but() {
  emulated::wait_for_copies(kBut);
}

inline void fence_bulk_shared() {}

inline void fence_bulk_global() {}

inline void fence_barriers() {}

inline int cluster_rank() {
  return emulated::cluster_rank();
}

inline void cluster_sync() {
  emulated::cluster_arrive();
  emulated::cluster_wait();
}

template <class T>
inline T load_from(const T* p, int rank) {
  const std::uint32_t address = emulated::address_in_block(emulated::shared_address(p), rank);
  return *reinterpret_cast<const T*>(emulated::shared_pointer(address, sizeof(T)));
}

template <class T>
inline void store_to(T* p, int rank, const T& value) {
  const std::uint32_t address = emulated::address_in_block(emulated::shared_address(p), rank);
  *reinterpret_cast<T*>(emulated::shared_pointer(address, sizeof(T))) = value;
}

inline void wgmma_fence() {}

inline void wgmma_commit() {
  emulated::wgmma_commit();
}

inline void wgmma_wait_all() {
  emulated::wgmma_wait(0);
}

template <int kTiles>
inline void wgmma_wait(float (&)[kTiles][4]) {
  emulated::wgmma_wait(0);
}

inline std::uint64_t wgmma_operand(std::uint32_t address, std::uint32_t along_k,
                                   std::uint32_t across) {
  return static_cast<std::uint64_t>((address & 0x3FFFFU) >> 4) |
         (static_cast<std::uint64_t>(along_k >> 4) << 16) |
         (static_cast<std::uint64_t>(across >> 4) << 32);
}

inline void wgmma_128(float (&d)[16][4], std::uint32_t a0, std::uint32_t a1, std::uint32_t a2,
                      std::uint32_t a3, std::uint64_t b) {
  emulated::wgmma_issue({d, 16, {a0, a1, a2, a3}, b});
}

}  // namespace tarl::fleet::ptx
