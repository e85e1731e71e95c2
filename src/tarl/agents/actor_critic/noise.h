// SPDX-License-Identifier: MIT
#pragma once

#include "tarl/core/rng.h"
#include "tarl/core/threads.h"
#include "tarl/nn/arena.h"

namespace tarl::agents::actor_critic {

// Standard normal noise of a batch, `width` numbers a row. A row's noise depends only on the stream
// and on the row's number, so that any thread can make any part of it.
class NormalRows {
 public:
  // Takes the noise of rows 0..rows from the stream, which moves on past it.
  NormalRows(Rng& rng, int rows, int width);

  // Writes the noise of row source[i], or of row i without a list, to out.row(i) for i in `rows`.
  // Rows have room for padded(width) floats; what lies beyond `width` is undefined.
  void fill(Range rows, const int* source, nn::Rows out) const;

 private:
  Rng start_;
  int blocks_;  // Philox blocks a row, four numbers each
};

}  // namespace tarl::agents::actor_critic
