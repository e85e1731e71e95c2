// SPDX-License-Identifier: MIT
#pragma once

#include "tarl/core/threads.h"
#include "tarl/nn/arena.h"
#include "tarl/nn/parameters.h"

namespace tarl::nn {

// A linear layer, forward and backward, on the part of the work that the caller names: a team
// splits rows or inputs with share(). All forms of a computation give the same bits.
//
// `values` and `grads` are arrays of the layer's ParameterLayout. Rows of outputs hold padded(out)
// floats, with zeros beyond `out` if the layer has more than one output; rows of an input gradient
// hold padded(in) floats.

// y = x W + b for `rows`, optionally with a ReLU.
struct ForwardOptions {
  bool relu = false;
  // Skips zero inputs, with the same bits; for inputs with many zeros (after a ReLU) or few rows.
  // Rows of x must then hold padded(in) floats.
  bool skip_zeros = false;
};

void forward(const Linear& layer, const float* values, ConstRows x, Range rows, Rows y,
             ForwardOptions options);

// The same for some outputs: a part of [0, padded(out)) in grains of kLanes. Requires out > 1.
void forward_outputs(const Linear& layer, const float* values, ConstRows x, Range rows,
                     Range outputs, Rows y, ForwardOptions options);

// Whether a team should split outputs rather than rows: true if the weights far exceed a core's
// private caches, since with rows every member would load all of them.
bool by_outputs(const Linear& layer);

// The input gradient dx = dy W^T, set to 0 where gate <= 0 if a gate is given (the derivative of
// the ReLU that produced the input). There are two forms with the same bits; which one moves less
// memory depends on the batch. by_inputs() is true if transposing dy and dx is cheaper than
// transposing W.
bool by_inputs(const Linear& layer, int batch);

// By rows: needs the transposed weights, refreshed after every change of the values. `inputs` is a
// share of the layer's inputs in grains of kLanes. A layer with a single output needs none.
Rows take_transposed_weights(const Linear& layer, Arena& arena);
void transpose_weights(const Linear& layer, const float* values, Range inputs, Rows transposed);
void backward_rows(const Linear& layer, const float* values, ConstRows transposed, ConstRows dy,
                   Range rows, Rows dx, ConstRows gate);

// By inputs: computes columns `inputs` (grains of kLanes) of dx for all rows from the transposed
// output gradient [out][padded(batch)], which transpose_rows() fills by shares of rows (grains of
// kLanes). Requires out > 1.
Rows take_transposed_rows(const Linear& layer, int batch, Arena& arena);
void transpose_rows(const Linear& layer, ConstRows dy, Range rows, Rows transposed);
void backward_inputs(const Linear& layer, const float* values, ConstRows transposed, int batch,
                     Range inputs, Rows dx, ConstRows gate);

// Weight gradients of `inputs` (grains of kLanes if out == 1) over all rows; the share with input 0
// also computes the bias gradients. Overwrites.
void backward_weights(const Linear& layer, ConstRows x, ConstRows dy, int rows, Range inputs,
                      float* grads);

}  // namespace tarl::nn
