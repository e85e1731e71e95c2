// SPDX-License-Identifier: MIT
#pragma once

namespace tarl::nn {

namespace {

// For processors with one 512-bit multiply-add a cycle: eight rows divide every batch, and two
// loads a cycle feed them.
inline constexpr int kTileRows = 8;
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
