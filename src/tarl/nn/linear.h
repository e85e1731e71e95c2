// SPDX-License-Identifier: MIT
#pragma once

#include "tarl/core/threads.h"
#include "tarl/nn/arena.h"
#include "tarl/nn/parameters.h"

namespace tarl::nn {

// A linear layer, forward and backward, on the part of the work the caller names: a team splits
// rows or inputs with share(). All ways to the same number give the same bits.
//
// `values` and `grads` are arrays of the layer's ParameterLayout. Rows of outputs have room for
// padded(out) floats and hold zeros beyond `out` when the layer has more than one output; rows of
// an input gradient have room for padded(in).

// y = x W + b for `rows`, with a ReLU where asked.
struct ForwardOptions {
  bool relu = false;
  // Many inputs are zero (a ReLU before, or few rows): skips them, with the same bits. Rows of x
  // then have room for padded(in) floats.
  bool skip_zeros = false;
};

void forward(const Linear& layer, const float* values, ConstRows x, Range rows, Rows y,
             ForwardOptions options);

// The same for some of the outputs, [0, padded(out)) in grains of kLanes. Requires out > 1.
void forward_outputs(const Linear& layer, const float* values, ConstRows x, Range rows,
                     Range outputs, Rows y, ForwardOptions options);

// Whether a team should split outputs rather than rows: the weights far exceed a core's own caches,
// and with rows every member would fetch all of them.
bool by_outputs(const Linear& layer);

// The input gradient dx = dy W^T, set to 0 where gate <= 0 if a gate is given (the derivative of
// the ReLU that made the input). Two forms with the same bits; which moves less memory depends on
// the batch:
// by_inputs() is true when transposing dy and dx is cheaper than transposing W.
bool by_inputs(const Linear& layer, int batch);

// By rows: needs the transposed weights, refreshed after every change of the values. `inputs` is a
// share of the layer's inputs in grains of kLanes. A layer with one output needs none.
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

// Gradients of the weights of `inputs` (grains of kLanes when out == 1), over all rows; the
// share with input 0 also does the bias. Overwrites.
void backward_weights(const Linear& layer, ConstRows x, ConstRows dy, int rows, Range inputs,
                      float* grads);

}  // namespace tarl::nn
