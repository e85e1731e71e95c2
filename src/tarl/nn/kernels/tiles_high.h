// SPDX-License-Identifier: MIT
#pragma once

namespace tarl::nn {

namespace {

// For processors with two 512-bit multiply-adds a cycle: as high as 32 registers allow. Each row of
// B then serves fourteen rows of A on its way from the second cache, and products of little depth
// begin and end fewer tiles.
inline constexpr int kTileRows = 14;
inline constexpr int kTileVectors = 2;
// Of products that skip zeros: low, so that few rows share a tile.
inline constexpr int kSkipRows = 4;
inline constexpr int kSkipVectors = 4;
inline constexpr int kSkipVectorsOfOneRow = 8;
// Of those whose rows are alike.
inline constexpr int kAlikeRows = 8;
inline constexpr int kAlikeVectors = 2;

}  // namespace

}  // namespace tarl::nn
