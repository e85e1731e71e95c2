// SPDX-License-Identifier: MIT
#pragma once

namespace tarl::nn {

namespace {

// For processors with one 512-bit FMA unit: eight rows divide every batch size, and two loads per
// cycle keep the unit busy.
inline constexpr int kTileRows = 8;
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
