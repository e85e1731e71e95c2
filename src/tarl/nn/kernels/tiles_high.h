// SPDX-License-Identifier: MIT
#pragma once

namespace tarl::nn {

namespace {

// For processors with two 512-bit multiply-adds a cycle: as high as 32 registers allow. Each row of
// B then serves fourteen rows of A on its way from the second cache, and products of little depth
// begin and end fewer tiles.
inline constexpr int kTileRows = 14;

}  // namespace

}  // namespace tarl::nn
