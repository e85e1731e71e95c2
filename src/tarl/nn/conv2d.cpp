// SPDX-License-Identifier: MIT
#include "tarl/nn/conv2d.h"

#include <algorithm>

#include "tarl/core/error.h"
#include "tarl/nn/instruction_set.h"

namespace tarl::nn {

namespace {

constexpr int kMaxTaps = 64;

}  // namespace

void forward(const Conv2d& conv, const float* values, const float* in, bool skip_zeros,
             float* out) {
  const Kernels& use = kernels();
  const long channels = conv.channels, maps = conv.maps;
  Product p;
  p.rows = conv.out_width();
  p.columns = conv.maps;
  p.depth = conv.kernel * conv.channels;
  p.a_row = conv.stride * channels;
  p.spans = conv.kernel;
  p.a_span = conv.width * channels;
  p.b = values + conv.weights.weight;
  p.b_stride = conv.weights.stride;
  p.c_stride = conv.maps;
  p.bias = values + conv.weights.bias;
  p.finish = Finish::kRelu;
  p.skip_zeros = skip_zeros;
  p.rows_alike = true;
  for (int row = 0; row < conv.out_height(); ++row) {
    p.a = in + row * (conv.stride * p.a_span);
    p.c = out + row * (conv.out_width() * maps);
    use.product(p);
  }
}

void transpose_weights(const Conv2d& conv, const float* values, float* transposed) {
  Transpose t;
  t.rows = conv.weights.in;
  t.columns = conv.maps;
  t.src = values + conv.weights.weight;
  t.src_stride = conv.weights.stride;
  t.dst = transposed;
  t.dst_stride = row_stride(conv.weights.in);
  kernels().transpose(t);
}

void backward_input(const Conv2d& conv, const float* transposed, const float* dy, const float* gate,
                    float* dx) {
  const Kernels& use = kernels();
  const long channels = conv.channels, maps = conv.maps;
  std::fill_n(dx, conv.in_size(), 0.0F);
  Product p;
  p.rows = conv.out_width();
  p.columns = conv.channels;
  p.depth = conv.maps;
  p.a_row = conv.maps;
  p.b_stride = row_stride(conv.weights.in);
  p.c_stride = conv.stride * channels;
  p.accumulate = true;
  // In flat parts of an image a map is uniformly on or off, and so is its gradient.
  p.skip_zeros = true;
  p.rows_alike = true;
  // One tap at a time: if rows of a product overlapped, the tiles would determine the order of
  // sums.
  long at_tap[kMaxTaps];
  p.taps = conv.kernel * conv.kernel;
  require(p.taps <= kMaxTaps, "the kernel of a convolution is too large");
  for (int tap = 0; tap < p.taps; ++tap) {
    at_tap[tap] = (tap / conv.kernel * conv.width + tap % conv.kernel) * channels;
  }
  p.b = transposed;
  p.b_tap = channels;
  p.c_taps = at_tap;
  for (int row = 0; row < conv.out_height(); ++row) {
    p.a = dy + row * (conv.out_width() * maps);
    p.c = dx + std::ptrdiff_t{row} * conv.stride * (conv.width * channels);
    use.product(p);
  }
  use.close_gates(dx, gate, static_cast<std::size_t>(conv.in_size()));
}

Range channel_blocks(const Conv2d& conv, Range units) {
  const int taps = conv.kernel * conv.kernel;
  return {units.begin / taps, (units.end + taps - 1) / taps};
}

void backward_weights(const Conv2d& conv, const float* in, const float* dy, Range units, bool begin,
                      float* grads) {
  const Kernels& use = kernels();
  const int taps = conv.kernel * conv.kernel;
  const long channels = conv.channels;
  Product p;
  p.columns = conv.maps;
  p.depth = conv.out_width();
  p.a_row = 1;
  p.a_depth = conv.stride * channels;
  p.spans = conv.out_height();
  p.a_span = conv.stride * (conv.width * channels);
  p.b = dy;
  p.b_stride = conv.maps;
  p.c_stride = conv.weights.stride;
  p.accumulate = !begin;
  for (int tap = 0; tap < taps; ++tap) {
    // The blocks b whose unit b * taps + tap is in `units` are contiguous.
    const auto block = [&](int unit) { return (std::max(0, unit - tap) + taps - 1) / taps; };
    const int first = block(units.begin) * kLanes;
    p.rows = block(units.end) * kLanes - first;
    if (p.rows == 0) continue;
    const int y = tap / conv.kernel, x = tap % conv.kernel;
    p.a = in + (y * conv.width + x) * channels + first;
    p.c = grads + conv.weights.weight + (tap * channels + first) * conv.weights.stride;
    use.product(p);
  }
}

}  // namespace tarl::nn
