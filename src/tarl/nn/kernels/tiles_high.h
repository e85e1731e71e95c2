// SPDX-License-Identifier: MIT
#pragma once

namespace tarl::nn {

namespace {

// For processors with two 512-bit FMA units: as high as 32 registers allow. Each row of B loaded
// from L2 then serves fourteen rows of A, and products of small depth begin and end fewer tiles.
inline constexpr int kTileRows = 14;
inline constexpr int kTileVectors = 2;
// For products that skip zeros: low, so that few rows share a tile.
inline constexpr int kSkipRows = 4;
inline constexpr int kSkipVectors = 4;
inline constexpr int kSkipVectorsOfOneRow = 8;
// For those whose rows are alike.
inline constexpr int kAlikeRows = 8;
inline constexpr int kAlikeVectors = 2;

}  // namespace

}  // namespace tarl::nn
