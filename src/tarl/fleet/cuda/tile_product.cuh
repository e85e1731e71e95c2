// SPDX-License-Identifier: MIT
#pragma once

#include <type_traits>

#include "tarl/fleet/cuda/block.cuh"

// C(r, n) = start(n) + sum over d of A(d, r) B(d, n), on one thread block. In f32 each element is
// one chain of fused multiply-adds in ascending order of d, which is the CPU's order and gives the
// CPU's bits. In tf32 the operands are rounded to ten bits of mantissa and multiplied on tensor
// cores.
namespace tarl::fleet {

inline constexpr int kTileColumns = 128;
inline constexpr int kTileDepth = 32;
inline constexpr int kTileStages = 4;  // pipeline depth: tiles in flight or being multiplied

// Contiguous floats, read or written by one instruction.
template <int kSize>
struct FloatRun {
  static constexpr int kCount = kSize;
  alignas(kSize * sizeof(float)) float value[kSize];
};

// The contiguous dimension of an operand: d, or the other index (r or n).
enum class Along { kDepth, kOther };

// Contiguous lines of floats in global memory.
struct Lines {
  const float* from;
  int count, length;
  const std::int32_t* order = nullptr;  // line i is line order[i], if given

  __device__ const float* at(int line, int i) const {
    const int which = order == nullptr ? line : order[line];
    return from + (which * length + i);
  }

  __device__ bool in_fours() const {
    return length % 4 == 0 && reinterpret_cast<std::uintptr_t>(from) % 16 == 0;
  }
};

// Starts copying kLines x kLength floats of `from`, kFloats at a time; elements beyond its ends are
// zero.
template <int kFloats, int kLines, int kLength, int kStride>
__device__ inline void ask_for_pieces(int thread, const Lines& from, int line0, int first,
                                      float* to) {
  constexpr int kPieces = kLength / kFloats, kLinesApart = kThreads / kPieces;
  constexpr int kRounds = (kLines + kLinesApart - 1) / kLinesApart;
  static_assert(kThreads % kPieces == 0);
  const int at = thread % kPieces * kFloats;
  const bool whole = line0 + kLines <= from.count && first + kLength <= from.length;
#pragma unroll
  for (int k = 0; k < kRounds; ++k) {
    const int line = thread / kPieces + k * kLinesApart;
    if (kLines % kLinesApart != 0 && line >= kLines) break;
    float* piece = to + line * kStride + at;
    if (!whole && (line0 + line >= from.count || first + at >= from.length)) {
#pragma unroll
      for (int i = 0; i < kFloats; ++i) piece[i] = 0;
    } else if constexpr (kFloats == 4) {
      ptx::copy_sixteen<0>(ptx::shared_address(piece), from.at(line0 + line, first + at));
    } else {
      ptx::copy_four(ptx::shared_address(piece), from.at(line0 + line, first + at));
    }
  }
}

// A tile of an operand in shared memory, with its lines as in global memory. The strides avoid bank
// conflicts for both access patterns: vectors of four, and the fragments of tensor cores.
template <Along kAlong, int kOthers>
struct Tile {
  static constexpr bool kDeep = kAlong == Along::kDepth;
  static constexpr int kLines = kDeep ? kOthers : kTileDepth;
  static constexpr int kLength = kDeep ? kTileDepth : kOthers;
  static constexpr int kStride = kLength + (kDeep ? 4 : 8);

  __device__ static void ask(int thread, const Lines& from, int d, int other, float* to) {
    const int line = kDeep ? other : d, first = kDeep ? d : other;
    if (from.in_fours()) {
      ask_for_pieces<4, kLines, kLength, kStride>(thread, from, line, first, to);
    } else {
      ask_for_pieces<1, kLines, kLength, kStride>(thread, from, line, first, to);
    }
  }

  __device__ static int place(int d, int other) {
    return kDeep ? other * kStride + d : d * kStride + other;
  }

  __device__ static int depth(const Lines& of) { return kDeep ? of.length : of.count; }

  __device__ static int others(const Lines& of) { return kDeep ? of.count : of.length; }

  // Four depths of neighbours, or of every kApart-th line.
  template <int kCount, int kApart = 1>
  __device__ static void read(const float* tile, int d, int other, float (&to)[kCount][4]) {
    if constexpr (kDeep) {
#pragma unroll
      for (int i = 0; i < kCount; ++i) {
        const auto four = *reinterpret_cast<const float4*>(tile + place(d, other + i * kApart));
        to[i][0] = four.x, to[i][1] = four.y, to[i][2] = four.z, to[i][3] = four.w;
      }
    } else {
      constexpr int kWidth = kCount < 4 ? kCount : 4;
#pragma unroll
      for (int k = 0; k < 4; ++k) {
#pragma unroll
        for (int i = 0; i < kCount; i += kWidth) {
          const auto run =
              *reinterpret_cast<const FloatRun<kWidth>*>(tile + place(d + k, other + i));
#pragma unroll
          for (int j = 0; j < kWidth; ++j) to[i + j][k] = run.value[j];
        }
      }
    }
  }
};

inline constexpr int kTileFloats = 128 * (kTileDepth + 4);  // the largest tile

struct TileShared {
  alignas(16) float a[kTileStages][kTileFloats];
  alignas(16) float b[kTileStages][kTileFloats];
};

// A thread's register tile of C in f32. All lanes of a warp read the same rows of A; each lane has
// a few columns.
template <int kTileRows, class A, class B>
class F32Share {
 public:
  static constexpr int kColumns = kTileRows >= 128 ? 4 : kTileRows >= 64 ? 2 : 1;
  static constexpr int kRows = kTileRows * kTileColumns / kThreads / kColumns;
  static constexpr int kRun = B::kDeep ? 1 : kColumns;  // contiguous columns

  __device__ explicit F32Share(int thread) : warp_(thread / 32), lane_(thread % 32) {}

  template <class Start>
  __device__ void begin(int columns, Start start) {
#pragma unroll
    for (int n = 0; n < kColumns; ++n) {
      const float value = column(n) < columns ? start(column(n)) : 0.0F;
#pragma unroll
      for (int r = 0; r < kRows; ++r) sum_[r][n] = value;
    }
  }

  __device__ void add(int rows, int columns, const float* a_tile, const float* b_tile) {
    if (row0() >= rows || column0() >= columns) return;
#pragma unroll 2
    for (int d = 0; d < kTileDepth; d += 4) {
      float a[kRows][4], b[kColumns][4];
      A::read(a_tile, d, row0(), a);
      B::template read<kColumns, 32>(b_tile, d, column(0), b);
#pragma unroll
      for (int k = 0; k < 4; ++k) {
#pragma unroll
        for (int r = 0; r < kRows; ++r) {
#pragma unroll
          for (int n = 0; n < kColumns; ++n) sum_[r][n] = fmaf(a[r][k], b[n][k], sum_[r][n]);
        }
      }
    }
  }

  // Calls visit(row, column, values of contiguous columns), which may change the values.
  template <class Visit>
  __device__ void for_each(Visit visit) {
#pragma unroll
    for (int r = 0; r < kRows; ++r) {
#pragma unroll
      for (int n = 0; n < kColumns; n += kRun) {
        FloatRun<kRun> run;
#pragma unroll
        for (int k = 0; k < kRun; ++k) run.value[k] = sum_[r][n + k];
        visit(row0() + r, column(n), run);
#pragma unroll
        for (int k = 0; k < kRun; ++k) sum_[r][n + k] = run.value[k];
      }
    }
  }

 private:
  static constexpr int kWarpsAcross = kTileColumns / (32 * kColumns);

  __device__ int row0() const {
    return warp_ / kWarpsAcross * kRows;
  }

  __device__ int column0() const {
    return warp_ % kWarpsAcross * 32 * kColumns;
  }

  __device__ int column(int n) const {
    return column0() + (B::kDeep ? lane_ + 32 * n : lane_ * kColumns + n);
  }

  int warp_, lane_;
  float sum_[kRows][kColumns];
};

// The same in tf32: each warp computes a few 16 x 8 products.
template <int kTileRows, class A, class B>
class Tf32Share {
 public:
  static constexpr int kWarpsDown = kTileRows >= 64 ? 4 : kTileRows / 16;
  static constexpr int kWarpsAcross = kWarps / kWarpsDown;
  static constexpr int kDown = kTileRows / 16 / kWarpsDown;
  static constexpr int kAcross = kTileColumns / 8 / kWarpsAcross;

  __device__ explicit Tf32Share(int thread) : warp_(thread / 32), lane_(thread % 32) {}

  template <class Start>
  __device__ void begin(int columns, Start start) {
#pragma unroll
    for (int j = 0; j < kAcross; ++j) {
#pragma unroll
      for (int n = 0; n < 2; ++n) {
        const float value = column(j) + n < columns ? start(column(j) + n) : 0.0F;
#pragma unroll
        for (int i = 0; i < kDown; ++i) sum_[i][j][n] = sum_[i][j][n + 2] = value;
      }
    }
  }

  __device__ void add(int rows, int columns, const float* a_tile, const float* b_tile) {
    if (row0() >= rows || column0() >= columns) return;
    const int g = lane_ / 4, t = lane_ % 4;
#pragma unroll
    for (int d = 0; d < kTileDepth; d += 8) {
      float a[kDown][4], b[kAcross][2];
#pragma unroll
      for (int i = 0; i < kDown; ++i) {
#pragma unroll
        for (int k = 0; k < 4; ++k) {
          const int row = row0() + 16 * i + g + k % 2 * 8;
          a[i][k] = ptx::to_tf32(a_tile[A::place(d + t + k / 2 * 4, row)]);
        }
      }
#pragma unroll
      for (int j = 0; j < kAcross; ++j) {
#pragma unroll
        for (int k = 0; k < 2; ++k) {
          b[j][k] = ptx::to_tf32(b_tile[B::place(d + t + k * 4, column0() + 8 * j + g)]);
        }
      }
#pragma unroll
      for (int i = 0; i < kDown; ++i) {
#pragma unroll
        for (int j = 0; j < kAcross; ++j) {
          ptx::mma_tf32(sum_[i][j], a[i][0], a[i][1], a[i][2], a[i][3], b[j][0], b[j][1]);
        }
      }
    }
  }

  template <class Visit>
  __device__ void for_each(Visit visit) {
#pragma unroll
    for (int i = 0; i < kDown; ++i) {
#pragma unroll
      for (int j = 0; j < kAcross; ++j) {
#pragma unroll
        for (int k = 0; k < 4; k += 2) {
          FloatRun<2> run{sum_[i][j][k], sum_[i][j][k + 1]};
          visit(row0() + 16 * i + lane_ / 4 + 4 * k, column(j), run);
          sum_[i][j][k] = run.value[0];
          sum_[i][j][k + 1] = run.value[1];
        }
      }
    }
  }

 private:
  __device__ int row0() const {
    return warp_ / kWarpsAcross * 16 * kDown;
  }

  __device__ int column0() const {
    return warp_ % kWarpsAcross * 8 * kAcross;
  }

  __device__ int column(int j) const {
    return column0() + 8 * j + lane_ % 4 * 2;
  }

  int warp_, lane_;
  float sum_[kDown][kAcross][4];
};

// The tiles of a product in the order in which they are loaded: along the depth of each output
// tile.
struct TileWalk {
  int rows, columns, depth;
  int row = 0, column = 0, d = 0;

  __device__ bool over() const { return row >= rows; }

  __device__ void go_on(int tile_rows) {
    d += kTileDepth;
    if (d < depth) return;
    d = 0;
    column += kTileColumns;
    if (column < columns) return;
    column = 0;
    row += tile_rows;
  }
};

// Stores at most `count` of the values.
template <int kCount>
__device__ inline void store_run(float* to, int count, FloatRun<kCount> run) {
  if (count >= kCount && reinterpret_cast<std::uintptr_t>(to) % sizeof(run) == 0) {
    *reinterpret_cast<FloatRun<kCount>*>(to) = run;
    return;
  }
#pragma unroll
  for (int k = 0; k < kCount; ++k) {
    if (k < count) to[k] = run.value[k];
  }
}

// Before a value is stored, finish(r, n, FloatRun&) may change it; values beyond the last column
// are ignored.
template <bool kTf32, int kTileRows, Along kAlongA, Along kAlongB, class Start, class Finish>
__device__ void tile_product(TileShared& smem, const Lines& a, const Lines& b, Start start,
                             Finish finish, float* to) {
  using A = Tile<kAlongA, kTileRows>;
  using B = Tile<kAlongB, kTileColumns>;
  static_assert(A::kLines * A::kStride <= kTileFloats && B::kLines * B::kStride <= kTileFloats);
  const int thread = thread_id();  // read once: the special register is slow
  std::conditional_t<kTf32, Tf32Share<kTileRows, A, B>, F32Share<kTileRows, A, B>> share(thread);

  const int rows = A::others(a), columns = B::others(b), depth = A::depth(a);
  TileWalk next{rows, columns, depth};
  const auto ask = [&](int stage) {
    if (!next.over()) {
      A::ask(thread, a, next.d, next.row, smem.a[stage]);
      B::ask(thread, b, next.d, next.column, smem.b[stage]);
      next.go_on(kTileRows);
    }
    ptx::commit_copies();
  };
#pragma unroll 1
  for (int stage = 0; stage < kTileStages - 1; ++stage) ask(stage);
  int stage = 0;
#pragma unroll 1
  for (int row = 0; row < rows; row += kTileRows) {
#pragma unroll 1
    for (int column = 0; column < columns; column += kTileColumns) {
      share.begin(columns - column, [&](int n) { return start(column + n); });
#pragma unroll 1
      for (int d = 0; d < depth; d += kTileDepth) {
        ptx::wait_for_copies_but<kTileStages - 2>();
        __syncthreads();
        ask((stage + kTileStages - 1) % kTileStages);
        share.add(rows - row, columns - column, smem.a[stage], smem.b[stage]);
        stage = (stage + 1) % kTileStages;
      }
      // All loads of finish() are issued before the first store.
      share.for_each([&](int r, int n, auto& run) {
        if (row + r < rows && column + n < columns) finish(row + r, column + n, run);
      });
      share.for_each([&](int r, int n, const auto& run) {
        if (row + r >= rows || column + n >= columns) return;
        store_run(to + (row + r) * columns + column + n, columns - column - n, run);
      });
    }
  }
  __syncthreads();
}

}  // namespace tarl::fleet
