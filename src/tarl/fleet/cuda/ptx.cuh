// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

// The sm_90a instructions that C++ cannot express.
namespace tarl::fleet::ptx {

__device__ inline std::uint32_t shared_address(const void* p) {
  return static_cast<std::uint32_t>(__cvta_generic_to_shared(p));
}

// Reads threadIdx.x at the point of use. Otherwise the compiler hoists everything derived from it
// out of the loop over steps, which exhausts the registers.
__device__ inline int thread_index() {
  int id;
  asm volatile("mov.u32 %0, %%tid.x;" : "=r"(id));
  __builtin_assume(id >= 0 && id < 1024);
  return id;
}

// Loads a word that other blocks also write.
__device__ inline std::uint32_t load_now(const std::uint32_t* p) {
  std::uint32_t value;
  asm volatile("ld.relaxed.gpu.global.u32 %0,[%1];" : "=r"(value) : "l"(p) : "memory");
  return value;
}

__device__ inline void sleep(unsigned nanoseconds) {
  asm volatile("nanosleep.u32 %0;" ::"r"(nanoseconds));
}

// Tells the compiler that a pointer loaded from memory points into global memory.
template <class T>
__device__ inline T* global(T* p) {
  __builtin_assume(__isGlobal(p));
  return p;
}

// Likewise, for shared memory.
template <class T>
__device__ inline T* shared(T* p) {
  __builtin_assume(__isShared(p));
  return p;
}

// One warp: d (16x8, f32) += a (16x16, fp16) b (16x8, fp16).
__device__ inline void mma(float (&d)[4], std::uint32_t a0, std::uint32_t a1, std::uint32_t a2,
                           std::uint32_t a3, std::uint32_t b0, std::uint32_t b1) {
  asm volatile(
      "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 "
      "{%0,%1,%2,%3},{%4,%5,%6,%7},{%8,%9},{%0,%1,%2,%3};"
      : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
      : "r"(a0), "r"(a1), "r"(a2), "r"(a3), "r"(b0), "r"(b1));
}

// The same for tf32 operands of 16x8 and 8x8: lane 4 g + t holds columns t and t + 4 of rows g and
// g + 8 of a, and of column g of b.
__device__ inline void mma_tf32(float (&d)[4], float a0, float a1, float a2, float a3, float b0,
                                float b1) {
  asm volatile(
      "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 "
      "{%0,%1,%2,%3},{%4,%5,%6,%7},{%8,%9},{%0,%1,%2,%3};"
      : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
      : "r"(__float_as_uint(a0)), "r"(__float_as_uint(a1)), "r"(__float_as_uint(a2)),
        "r"(__float_as_uint(a3)), "r"(__float_as_uint(b0)), "r"(__float_as_uint(b1)));
}

// mma_tf32 ignores all but ten bits of the mantissa. Adding half an ulp rounds to nearest, ties
// away from zero, as cvt.rna does.
__device__ inline float to_tf32(float value) {
  return __uint_as_float(__float_as_uint(value) + 0x1000U);
}

// Two floats as fp16, the first in the low half; pack_relu replaces negative values by zero.
__device__ inline std::uint32_t pack(float low, float high) {
  std::uint32_t r;
  asm("cvt.rn.f16x2.f32 %0,%1,%2;" : "=r"(r) : "f"(high), "f"(low));
  return r;
}

__device__ inline std::uint32_t pack_relu(float low, float high) {
  std::uint32_t r;
  asm("cvt.rn.relu.f16x2.f32 %0,%1,%2;" : "=r"(r) : "f"(high), "f"(low));
  return r;
}

// Saturates to the largest finite fp16.
__device__ inline std::uint32_t pack_finite(float low, float high) {
  std::uint32_t r;
  asm("cvt.rn.satfinite.f16x2.f32 %0,%1,%2;" : "=r"(r) : "f"(high), "f"(low));
  return r;
}

// A mask of all ones for each of two fp16 values that is not zero.
__device__ inline std::uint32_t where_not_zero(std::uint32_t halves) {
  std::uint32_t r;
  asm("set.neu.u32.f16x2 %0,%1,%2;" : "=r"(r) : "r"(halves), "r"(0));
  return r;
}

// Two differences, each clamped to 16 bits, the first in the low half.
__device__ inline std::uint32_t pack_clamped(std::int32_t low, std::int32_t high) {
  std::uint32_t r;
  asm("cvt.pack.sat.s16.s32 %0,%1,%2;" : "=r"(r) : "r"(high), "r"(low));
  return r;
}

__device__ inline void load_matrices(std::uint32_t (&r)[4], std::uint32_t address) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3},[%4];"
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
               : "r"(address));
}

__device__ inline void load_matrices_transposed(std::uint32_t (&r)[4], std::uint32_t address) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0,%1,%2,%3},[%4];"
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
               : "r"(address));
}

__device__ inline float approximate_sqrt(float x) {
  float r;
  asm("sqrt.approx.ftz.f32 %0,%1;" : "=f"(r) : "f"(x));
  return r;
}

__device__ inline float approximate_reciprocal_sqrt(float x) {
  float r;
  asm("rsqrt.approx.ftz.f32 %0,%1;" : "=f"(r) : "f"(x));
  return r;
}

__device__ inline float approximate_reciprocal(float x) {
  float r;
  asm("rcp.approx.ftz.f32 %0,%1;" : "=f"(r) : "f"(x));
  return r;
}

// mbarriers in shared memory, which bulk copies signal on completion.
__device__ inline void barrier_init(std::uint32_t barrier, int arrivals) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0],%1;" ::"r"(barrier), "r"(arrivals));
}

__device__ inline void barrier_expect(std::uint32_t barrier, std::uint32_t bytes) {
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _,[%0],%1;" ::"r"(barrier), "r"(bytes)
               : "memory");
}

__device__ inline void barrier_arrive(std::uint32_t barrier) {
  asm volatile("mbarrier.arrive.shared::cta.b64 _,[%0];" ::"r"(barrier) : "memory");
}

__device__ inline void barrier_wait(std::uint32_t barrier, std::uint32_t phase) {
  asm volatile(
      "{\n.reg .pred P;\nW_%=:\nmbarrier.try_wait.parity.shared::cta.b64 P,[%0],%1;\n"
      "@P bra D_%=;\nbra W_%=;\nD_%=:\n}" ::"r"(barrier),
      "r"(phase)
      : "memory");
}

// L2 cache hints: what createpolicy.fractional encodes for evict_normal and for evict_first. Data
// used once per step is evicted first, so that data used more often stays.
inline constexpr std::uint64_t kOften = 0x1000000000000000U, kOnce = 0x12F0000000000000U;

// Asynchronous bulk copy to shared memory. Requires sizes and addresses that are multiples of 16.
__device__ inline void bulk_load(std::uint32_t to, const void* from, std::uint32_t bytes,
                                 std::uint32_t barrier, std::uint64_t hint) {
  asm volatile(
      "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.L2::cache_hint "
      "[%0],[%1],%2,[%3],%4;" ::"r"(to),
      "l"(from), "r"(bytes), "r"(barrier), "l"(hint)
      : "memory");
}

// cp.async to shared memory of the named number of bytes; visible to this thread after the wait.
__device__ inline void copy_four(std::uint32_t to, const void* from) {
  asm volatile("cp.async.ca.shared.global [%0],[%1],4;" ::"r"(to),
               "l"(__cvta_generic_to_global(from))
               : "memory");
}

__device__ inline void copy_eight(std::uint32_t to, const void* from) {
  asm volatile("cp.async.ca.shared.global [%0],[%1],8;" ::"r"(to),
               "l"(__cvta_generic_to_global(from))
               : "memory");
}

template <int kTo>  // byte offset from `to`
__device__ inline void copy_sixteen(std::uint32_t to, const void* from) {
  asm volatile("cp.async.cg.shared.global [%0+%2],[%1],16;" ::"r"(to),
               "l"(__cvta_generic_to_global(from)), "n"(kTo)
               : "memory");
}

// Three 16-byte copies, kApart bytes apart at both ends, starting kFrom bytes after `from`.
template <int kApart, int kFrom>
__device__ inline void copy_three_once(std::uint32_t to, const void* from) {
  asm volatile(
      "{.reg .b64 once; mov.b64 once,%6;"
      "cp.async.cg.shared.global.L2::cache_hint [%0],[%1+%4],16,once;"
      "cp.async.cg.shared.global.L2::cache_hint [%0+%2],[%1+%7],16,once;"
      "cp.async.cg.shared.global.L2::cache_hint [%0+%3],[%1+%5],16,once;}" ::"r"(to),
      "l"(__cvta_generic_to_global(from)), "n"(kApart), "n"(2 * kApart), "n"(kFrom),
      "n"(kFrom + 2 * kApart), "n"(kOnce), "n"(kFrom + kApart)
      : "memory");
}

// A store to global memory, kTo bytes after `to`.
template <int kTo>
__device__ inline void store_sixteen_once(void* to, uint4 v) {
  asm volatile("st.global.L2::cache_hint.v4.u32 [%0+%1],{%2,%3,%4,%5},%6;" ::"l"(
                   __cvta_generic_to_global(to)),
               "n"(kTo), "r"(v.x), "r"(v.y), "r"(v.z), "r"(v.w), "l"(kOnce)
               : "memory");
}

template <int kTo>
__device__ inline void store_sixteen_once(void* to, float4 v) {
  asm volatile("st.global.L2::cache_hint.v4.f32 [%0+%1],{%2,%3,%4,%5},%6;" ::"l"(
                   __cvta_generic_to_global(to)),
               "n"(kTo), "f"(v.x), "f"(v.y), "f"(v.z), "f"(v.w), "l"(kOnce)
               : "memory");
}

__device__ inline void wait_for_copies() {
  asm volatile("cp.async.wait_all;" ::: "memory");
}

// Closes the group of copies issued since the last call; the waits return when all groups, or all
// but the newest kBut, have completed.
__device__ inline void commit_copies() {
  asm volatile("cp.async.commit_group;" ::: "memory");
}

template <int kBut>
__device__ inline void wait_for_copies_but() {
  asm volatile("cp.async.wait_group %0;" ::"n"(kBut) : "memory");
}

// Orders this thread's earlier accesses to shared or global memory before later bulk copies.
__device__ inline void fence_bulk_shared() {
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}

__device__ inline void fence_bulk_global() {
  asm volatile("fence.proxy.async.global;" ::: "memory");
}

__device__ inline void fence_barriers() {
  asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
}

// Thread block clusters: blocks can access each other's shared memory.
__device__ inline int cluster_rank() {
  std::uint32_t rank;
  asm("mov.u32 %0,%%cluster_ctarank;" : "=r"(rank));
  return static_cast<int>(rank);
}

// Barrier of all threads of the cluster; earlier writes are visible to all of them afterwards.
__device__ inline void cluster_sync() {
  asm volatile("barrier.cluster.arrive.release.aligned;" ::: "memory");
  asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory");
}

// The same address in another block's shared memory.
__device__ inline std::uint32_t address_in(const void* p, int rank) {
  std::uint32_t address;
  asm volatile("mapa.shared::cluster.u32 %0,%1,%2;"
               : "=r"(address)
               : "r"(shared_address(p)), "r"(rank));
  return address;
}

__device__ inline float load_from(const float* p, int rank) {
  float v;
  asm volatile("ld.shared::cluster.f32 %0,[%1];" : "=f"(v) : "r"(address_in(p, rank)) : "memory");
  return v;
}

__device__ inline float4 load_from(const float4* p, int rank) {
  float4 v;
  asm volatile("ld.shared::cluster.v4.f32 {%0,%1,%2,%3},[%4];"
               : "=f"(v.x), "=f"(v.y), "=f"(v.z), "=f"(v.w)
               : "r"(address_in(p, rank))
               : "memory");
  return v;
}

__device__ inline void store_to(float* p, int rank, float v) {
  asm volatile("st.shared::cluster.f32 [%0],%1;" ::"r"(address_in(p, rank)), "f"(v) : "memory");
}

__device__ inline void store_to(uint2* p, int rank, uint2 v) {
  asm volatile("st.shared::cluster.v2.u32 [%0],{%1,%2};" ::"r"(address_in(p, rank)), "r"(v.x),
               "r"(v.y)
               : "memory");
}

__device__ inline void wgmma_fence() {
  asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
}

__device__ inline void wgmma_commit() {
  asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
}

// Waits until all products have read their operands; more may be accumulated afterwards.
__device__ inline void wgmma_wait_all() {
  asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
}

// Waits until all products are complete; d must not be read earlier.
template <int kTiles>
__device__ inline void wgmma_wait(float (&d)[kTiles][4]) {
  asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
#pragma unroll
  for (int j = 0; j < kTiles; ++j) {
#pragma unroll
    for (int i = 0; i < 4; ++i) asm volatile("" : "+f"(d[j][i])::"memory");
  }
}

// Descriptor of an operand in shared memory: 8x8 fp16 matrices of 128 bytes each, with the given
// byte distances along k and along the other dimension.
__device__ inline std::uint64_t wgmma_operand(std::uint32_t address, std::uint32_t along_k,
                                              std::uint32_t across) {
  return static_cast<std::uint64_t>((address & 0x3FFFFU) >> 4) |
         (static_cast<std::uint64_t>(along_k >> 4) << 16) |
         (static_cast<std::uint64_t>(across >> 4) << 32);
}

#define TARL_FOUR(j) "+f"(d[j][0]), "+f"(d[j][1]), "+f"(d[j][2]), "+f"(d[j][3])

// Four warps: d (64x128) += a (64x16, registers) b (16x128, shared memory, matrix rows along k).
// Lane layout of d: tile j of 8 columns, then as in mma.
__device__ inline void wgmma_128(float (&d)[16][4], std::uint32_t a0, std::uint32_t a1,
                                 std::uint32_t a2, std::uint32_t a3, std::uint64_t b) {
  asm volatile(
      "wgmma.mma_async.sync.aligned.m64n128k16.f32.f16.f16 "
      "{%0,%1,%2,%3,%4,%5,%6,%7,%8,%9,%10,%11,%12,%13,%14,%15,%16,%17,%18,%19,%20,%21,%22,%23,"
      "%24,%25,%26,%27,%28,%29,%30,%31,%32,%33,%34,%35,%36,%37,%38,%39,%40,%41,%42,%43,%44,%45,"
      "%46,%47,%48,%49,%50,%51,%52,%53,%54,%55,%56,%57,%58,%59,%60,%61,%62,%63},"
      "{%64,%65,%66,%67},%68,1,1,1,0;"
      : TARL_FOUR(0), TARL_FOUR(1), TARL_FOUR(2), TARL_FOUR(3), TARL_FOUR(4), TARL_FOUR(5),
        TARL_FOUR(6), TARL_FOUR(7), TARL_FOUR(8), TARL_FOUR(9), TARL_FOUR(10), TARL_FOUR(11),
        TARL_FOUR(12), TARL_FOUR(13), TARL_FOUR(14), TARL_FOUR(15)
      : "r"(a0), "r"(a1), "r"(a2), "r"(a3), "l"(b));
}

#undef TARL_FOUR

}  // namespace tarl::fleet::ptx
