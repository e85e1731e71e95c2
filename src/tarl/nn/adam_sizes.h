// SPDX-License-Identifier: MIT
#pragma once

namespace tarl::nn {

// What Adam's bias corrections make of a rate at some step; see kernels/kernels.h.
struct AdamSizes {
  float step = 0, root = 1;
};

}  // namespace tarl::nn
