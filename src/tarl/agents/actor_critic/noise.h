// SPDX-License-Identifier: MIT
#pragma once

#include "tarl/core/host_device.h"
#include "tarl/core/rng.h"
#include "tarl/core/threads.h"
#include "tarl/nn/arena.h"
#include "tarl/nn/vector_math.h"

namespace tarl::agents::actor_critic {

// Normals of one Philox block.
inline constexpr int kNormalsPerBlock = 4;

// Philox blocks for a row of that many normals.
TARL_HOST_DEVICE inline int noise_blocks(int width) {
  return (width + kNormalsPerBlock - 1) / kNormalsPerBlock;
}

// Box-Muller: two words of a block become two normals, the root of this times the cosine and the
// sine of nn::sine_cosine_of_turn(second).
TARL_HOST_DEVICE inline float squared_radius(std::uint32_t first) {
  const auto size = static_cast<float>(static_cast<std::int32_t>(first >> 1));
  return -2.0F * nn::log_of((size + 1.0F) * 0x1p-31F);  // of a uniform in (0, 1]
}

// Standard normal noise for a batch, `width` numbers per row. A row's noise depends only on the
// stream and the row's number, so any thread can compute any part of it.
class NormalRows {
 public:
  // Reserves the noise of rows [0, rows) in the stream, which advances past it.
  NormalRows(Rng& rng, int rows, int width);

  // Writes the noise of row source[i], or of row i without a list, to out.row(i) for i in `rows`.
  // Rows have room for padded(width) floats; what lies beyond `width` is undefined.
  void fill(Range rows, const int* source, nn::Rows out) const;

 private:
  Rng start_;
  int blocks_;  // Philox blocks per row, four numbers each
};

}  // namespace tarl::agents::actor_critic
