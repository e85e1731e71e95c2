// SPDX-License-Identifier: MIT
#pragma once

namespace tarl::nn {

namespace {

// For processors with one 512-bit multiply-add a cycle: eight rows divide every batch, and two
// loads a cycle feed them.
inline constexpr int kTileRows = 8;

}  // namespace

}  // namespace tarl::nn
