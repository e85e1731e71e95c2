// SPDX-License-Identifier: MIT
#pragma once

#include "tarl/core/threads.h"
#include "tarl/nn/kernels/kernels.h"
#include "tarl/nn/parameters.h"

namespace tarl::nn {

// A square convolution without padding, followed by a ReLU, on one image [height][width][channels]
// at a time. Windows are read in place, as rows of a matrix product whose depth covers
// several spans of memory; there is no im2col copy.
struct Conv2d {
  int height = 0;  // of the input
  int width = 0;
  int channels = 0;  // a multiple of kLanes
  int kernel = 0;
  int stride = 0;
  int maps = 0;    // a multiple of kLanes
  Linear weights;  // inputs ordered (kernel row, kernel column, channel)

  int out_height() const { return (height - kernel) / stride + 1; }

  int out_width() const { return (width - kernel) / stride + 1; }

  int in_size() const { return height * width * channels; }

  int out_size() const { return out_height() * out_width() * maps; }

  double multiply_adds() const { return static_cast<double>(out_size()) * weights.in; }
};

// out = relu(conv(in) + bias), [out_height][out_width][maps]. Each sum runs over the window in the
// order of the weights' inputs, starting from the bias. `skip_zeros` skips inputs that are zero in
// neighbouring windows: the same bits, and faster if there are many.
void forward(const Conv2d& conv, const float* values, const float* in, bool skip_zeros, float* out);

// Weights as [maps][row_stride(inputs)], for backward_input().
void transpose_weights(const Conv2d& conv, const float* values, float* transposed);

// dx, the gradient of the input, from dy, the gradient of the output before its ReLU; 0 where gate
// <= 0. The gate is the input itself if a ReLU produced it. Each sum runs over (output row, kernel
// row, kernel column), then maps.
void backward_input(const Conv2d& conv, const float* transposed, const float* dy, const float* gate,
                    float* dx);

// The weight gradients are divided into units of (block of kLanes channels, kernel row, kernel
// column). A share of few units reads few channels, and hence few cache lines that other shares
// read.
inline int weight_units(const Conv2d& conv) {
  return conv.channels / kLanes * conv.kernel * conv.kernel;
}

// The blocks of channels that `units` read.
Range channel_blocks(const Conv2d& conv, Range units);

// Adds one image's contribution to the weight gradients of `units`; with `begin` overwrites
// instead. Sums run over images in the order of the calls, then over output positions.
void backward_weights(const Conv2d& conv, const float* in, const float* dy, Range units, bool begin,
                      float* grads);

}  // namespace tarl::nn
