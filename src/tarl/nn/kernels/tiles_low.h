// SPDX-License-Identifier: MIT
#pragma once

namespace tarl::nn {

namespace {

// For processors with one 512-bit FMA unit: eight rows divide every batch size, and two loads per
// cycle keep the unit busy.
inline constexpr int kTileRows = 8;

}  // namespace

}  // namespace tarl::nn
