// SPDX-License-Identifier: MIT
#pragma once

#include "fleet/emulated/machine.h"

// Tensor core products: operands are fp16 or tf32, and each element of the result is one chain of
// fused f32 multiply-adds in ascending order of k.
namespace tarl::emulated {

// mma.m16n8k16, per lane.
struct Mma {
  float* d;
  std::uint32_t a[4], b[2];
};

void multiply_mma(const Boxes& boxes);  // of Mma

// mma.m16n8k8 in tf32, per lane.
struct MmaTf32 {
  float* d;
  float a[4], b[2];
};

void multiply_mma_tf32(const Boxes& boxes);  // of MmaTf32

// ldmatrix.x4, per lane.
struct Matrices {
  std::uint32_t* to;
  std::uint32_t address;
};

void load_matrices(const Boxes& boxes);
void load_matrices_transposed(const Boxes& boxes);

}  // namespace tarl::emulated
