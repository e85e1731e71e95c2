// SPDX-License-Identifier: MIT
#pragma once

namespace tarl::nn {

namespace {

// For processors with two 512-bit FMA units: as high as 32 registers allow. Each row of B loaded
// from L2 then serves fourteen rows of A, and products of small depth begin and end fewer tiles.
inline constexpr int kTileRows = 14;

}  // namespace

}  // namespace tarl::nn
