// SPDX-License-Identifier: MIT
#pragma once

#include "tarl/core/threads.h"
#include "tarl/nn/kernels/kernels.h"
#include "tarl/nn/parameters.h"

namespace tarl::nn {

// A square convolution without padding and the ReLU after it, on one image [height][width]
// [channels] at a time. A window is read where it lies, as a row of a matrix product whose depth
// goes on in stretches; nothing is copied together first.
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

// out = relu(conv(in) + bias), [out_height][out_width][maps]. A sum runs over the window in the
// order of the weights' inputs, from the bias. With `skip_zeros` inputs that are zero in
// neighbouring windows are passed over: the same bits, sooner where there are many.
void forward(const Conv2d& conv, const float* values, const float* in, bool skip_zeros, float* out);

// Weights as [maps][row_stride(inputs)], for backward_input().
void transpose_weights(const Conv2d& conv, const float* values, float* transposed);

// dx, the gradient of the input, from dy, that of the output before its ReLU; 0 where gate <= 0,
// the gate being the input when a ReLU made it. A sum runs over (output row, kernel row, kernel
// column) and then maps.
void backward_input(const Conv2d& conv, const float* transposed, const float* dy, const float* gate,
                    float* dx);

// Gradients of the weights are split by (block of kLanes channels, kernel row, kernel column): who
// has few of these units reads few channels, and so not the lines that others read.
inline int weight_units(const Conv2d& conv) {
  return conv.channels / kLanes * conv.kernel * conv.kernel;
}

// The blocks of channels that units read.
Range channel_blocks(const Conv2d& conv, Range units);

// Adds one image's part to the gradients of the weights of `units`, or begins with it: sums run
// over images as called, then output positions.
void backward_weights(const Conv2d& conv, const float* in, const float* dy, Range units, bool begin,
                      float* grads);

}  // namespace tarl::nn
