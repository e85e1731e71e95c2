// SPDX-License-Identifier: MIT
#pragma once

namespace tarl::nn {

// Adam's bias corrections at a given step; see kernels/kernels.h.
struct AdamSizes {
  float step = 0, root = 1;
};

}  // namespace tarl::nn
