// SPDX-License-Identifier: MIT
#include "fleet/emulated/products.h"

#include <bit>
#include <cmath>
#include <cstring>

#include "fleet/emulated/threads.h"
#include <cuda_fp16.h>

namespace tarl::emulated {

namespace {

constexpr int kDepth = 16;

float2 floats_of(std::uint32_t pair) {
  return __half22float2(
      {{static_cast<std::uint16_t>(pair)}, {static_cast<std::uint16_t>(pair >> 16)}});
}

// The left operand: lane 4 g + t holds columns 2t, 2t + 1, 2t + 8 and 2t + 9 of rows g and g + 8.
template <class A>
void unpack_left(A a_of, float (&a)[16][kDepth]) {
  for (int lane = 0; lane < kWarpSize; ++lane) {
    const int g = lane / 4, t = lane % 4;
    for (int r = 0; r < 4; ++r) {
      const float2 pair = floats_of(a_of(lane)[r]);
      float* to = &a[g + 8 * (r % 2)][2 * t + 8 * (r / 2)];
      to[0] = pair.x;
      to[1] = pair.y;
    }
  }
}

// 16 rows by 8 columns, accumulated where the lanes hold them.
template <int kSteps, class D>
void multiply_tile(const float (&a)[16][kSteps], const float (&b)[kSteps][8], D d_of) {
  float sum[16][8];
  for (int lane = 0; lane < kWarpSize; ++lane) {
    const float* d = d_of(lane);
    std::memcpy(&sum[lane / 4][lane % 4 * 2], d, 8);
    std::memcpy(&sum[lane / 4 + 8][lane % 4 * 2], d + 2, 8);
  }
  for (int row = 0; row < 16; ++row) {
    for (int k = 0; k < kSteps; ++k) {
      for (int n = 0; n < 8; ++n) sum[row][n] = std::fma(a[row][k], b[k][n], sum[row][n]);
    }
  }
  for (int lane = 0; lane < kWarpSize; ++lane) {
    float* d = d_of(lane);
    std::memcpy(d, &sum[lane / 4][lane % 4 * 2], 8);
    std::memcpy(d + 2, &sum[lane / 4 + 8][lane % 4 * 2], 8);
  }
}

// A matrix of an operand in shared memory, by its position across and along k.
const __half* matrix_of(std::uint64_t operand, int across, int along_k) {
  const auto field = [&](int bit) {
    return static_cast<std::uint32_t>(operand >> bit & 0x3FFF) << 4;
  };
  if (operand >> 62 != 0) fail("swizzled operands of wgmma are not emulated");
  const std::uint32_t at = field(0) + static_cast<std::uint32_t>(across) * field(32) +
                           static_cast<std::uint32_t>(along_k) * field(16);
  return reinterpret_cast<const __half*>(shared_pointer(address_in_block(at, cluster_rank()), 128));
}

template <class Store>
void read_matrices(const Boxes& boxes, Store store) {
  for (int m = 0; m < 4; ++m) {
    std::uint16_t matrix[8][8];
    for (int row = 0; row < 8; ++row) {
      const auto* from = static_cast<const Matrices*>(boxes[m * 8 + row]);
      if (from->address % 16 != 0) fail("a row of a matrix that is not aligned to 16 bytes");
      const std::byte* p = shared_pointer(from->address, 16);
      races::access(p, 16, false, __builtin_return_address(0));
      std::memcpy(matrix[row], p, 16);
    }
    for (int lane = 0; lane < kWarpSize; ++lane) {
      static_cast<const Matrices*>(boxes[lane])->to[m] = store(matrix, lane / 4, lane % 4);
    }
  }
}

// The 16 rows of a warp.
void multiply_rows(const Wgmma* const (&lanes)[kWarpSize]) {
  const Wgmma& product = *lanes[0];
  float a[16][kDepth];
  unpack_left([&](int lane) { return lanes[lane]->a; }, a);
  // The right operand: matrices in shared memory of 8 rows (n) of 16 bytes (k).
  for (int j = 0; j < product.tiles; ++j) {
    float right[kDepth][8];
    for (int k = 0; k < kDepth; k += 8) {
      const __half* from = matrix_of(product.b, j, k / 8);
      for (int i = 0; i < 64; ++i) right[k + i % 8][i / 8] = __half2float(from[i]);
    }
    multiply_tile(a, right, [&](int lane) { return lanes[lane]->d[j]; });
  }
}

// The oldest committed wgmma group of the lanes.
void multiply_group(const Boxes& boxes) {
  const auto fiber_of = [&](int lane) { return static_cast<Fiber*>(boxes[lane]); };
  const std::size_t count = fiber_of(0)->groups.front();
  for (std::size_t i = 0; i < count; ++i) {
    const Wgmma* lanes[kWarpSize];
    for (int lane = 0; lane < kWarpSize; ++lane) {
      const Fiber& fiber = *fiber_of(lane);
      if (fiber.groups.front() != count || fiber.products[i].b != fiber_of(0)->products[i].b) {
        fail("lanes of a warp have different wgmma in flight");
      }
      lanes[lane] = &fiber.products[i];
    }
    multiply_rows(lanes);
  }
  for (int lane = 0; lane < kWarpSize; ++lane) {
    Fiber& fiber = *fiber_of(lane);
    const auto done = static_cast<std::ptrdiff_t>(count);
    fiber.products.erase(fiber.products.begin(), fiber.products.begin() + done);
    fiber.groups.erase(fiber.groups.begin());
    for (std::size_t& end : fiber.groups) end -= count;
  }
}

}  // namespace

void multiply_mma(const Boxes& boxes) {
  const auto lane_of = [&](int lane) { return static_cast<const Mma*>(boxes[lane]); };
  float a[16][kDepth], b[kDepth][8];
  unpack_left([&](int lane) { return lane_of(lane)->a; }, a);
  for (int lane = 0; lane < kWarpSize; ++lane) {
    for (int r = 0; r < 2; ++r) {
      const float2 pair = floats_of(lane_of(lane)->b[r]);
      b[lane % 4 * 2 + 8 * r][lane / 4] = pair.x;
      b[lane % 4 * 2 + 8 * r + 1][lane / 4] = pair.y;
    }
  }
  multiply_tile(a, b, [&](int lane) { return lane_of(lane)->d; });
}

void multiply_mma_tf32(const Boxes& boxes) {
  const auto lane_of = [&](int lane) { return static_cast<const MmaTf32*>(boxes[lane]); };
  const auto seen = [](float operand) {
    return std::bit_cast<float>(std::bit_cast<std::uint32_t>(operand) & 0xFFFFE000U);
  };
  float a[16][8], b[8][8];
  for (int lane = 0; lane < kWarpSize; ++lane) {
    const int g = lane / 4, t = lane % 4;
    for (int r = 0; r < 4; ++r) a[g + 8 * (r % 2)][t + 4 * (r / 2)] = seen(lane_of(lane)->a[r]);
    for (int r = 0; r < 2; ++r) b[t + 4 * r][g] = seen(lane_of(lane)->b[r]);
  }
  multiply_tile(a, b, [&](int lane) { return lane_of(lane)->d; });
}

void load_matrices(const Boxes& boxes) {
  read_matrices(boxes, [](const std::uint16_t(&m)[8][8], int g, int t) {
    return m[g][2 * t] | static_cast<std::uint32_t>(m[g][2 * t + 1]) << 16;
  });
}

void load_matrices_transposed(const Boxes& boxes) {
  read_matrices(boxes, [](const std::uint16_t(&m)[8][8], int g, int t) {
    return m[2 * t][g] | static_cast<std::uint32_t>(m[2 * t + 1][g]) << 16;
  });
}

void wgmma_issue(const Wgmma& product) {
  machine().fiber().products.push_back(product);
}

void wgmma_commit() {
  Fiber& fiber = machine().fiber();
  fiber.groups.push_back(fiber.products.size());
  if (!machine().schedule.late) wgmma_wait(0);
}

void wgmma_wait(int groups_left) {
  Fiber& fiber = machine().fiber();
  while (static_cast<int>(fiber.groups.size()) > groups_left) {
    together(Collective::kWgmma, &fiber, multiply_group);
  }
}

}  // namespace tarl::emulated
