// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>

namespace tarl::nn {

// The inner loops, compiled once per instruction set and selected at run time. All sets give the
// same bits:
//  - an output element of a product is one chain of fused multiply-adds over the depth, in
//    ascending order, starting from the bias (or zero, or the previous content);
//  - a sum to one number is kept in 16 lanes (element i goes to lane i mod 16), folded by one fixed
//    tree, whatever the width of a register;
//  - everything else is one IEEE operation at a time.
// The result of a row therefore depends neither on its neighbours nor on the number of threads.
// Kernels do not allocate and do not throw.

// Floats per vector. Widths are multiples of it; padding beyond a matrix's last column is zero.
inline constexpr int kLanes = 16;

namespace {

// Floats in `count` vectors, as an offset. Each file has its own copy, since files of other
// instruction sets are compiled with other flags.
constexpr long vectors(int count) {
  return static_cast<long>(count) * kLanes;
}

}  // namespace

enum class Finish {
  kStore,  // c = sum
  kRelu,   // c = max(sum, 0)
  kGate,   // c = gate > 0 ? sum : 0, the derivative of a ReLU
};

// C = A B. A is read element by element, so both of its strides are arbitrary (a transposed A needs
// no copy); B and C are read in rows of vectors.
struct Product {
  int rows = 0;
  int columns = 0;  // multiple of kLanes
  int depth = 0;
  const float* a = nullptr;  // A(i, k) = a[i * a_row + k * a_depth]
  long a_row = 0;
  long a_depth = 1;
  const float* b = nullptr;  // B(k, j) = b[k * b_stride + j]
  long b_stride = 0;
  float* c = nullptr;
  long c_stride = 0;
  const float* bias = nullptr;  // the chain's first value, per column; null: zero
  bool accumulate = false;      // the chain starts from the content of C
  Finish finish = Finish::kStore;
  const float* gate = nullptr;  // [rows][columns], for kGate
  long gate_stride = 0;
  bool columns_outer = false;  // keep a panel of B in cache instead of a panel of A
  // Skips depths at which A is zero for all rows of a tile: the same bits as long as B is finite.
  // Requires a_depth = 1 and rows of A padded to a multiple of kLanes.
  bool skip_zeros = false;
  bool rows_alike = false;  // neighbouring rows are zero at similar depths: tiles may be high
  // The depth may cover several spans of A while B's rows are contiguous: `depth` is the length
  // of one span, and the next begins a_span floats later. A window of an image is thus a row
  // of A.
  int spans = 1;
  long a_span = 0;
  // The same A times several B, one product after another: number t reads B at b + t * b_tap and
  // writes C at c + c_taps[t]. In the gradient of a convolution each tap of the kernel is one of
  // them.
  int taps = 1;
  long b_tap = 0;
  const long* c_taps = nullptr;  // null: a single product, into C itself
};

// dst(c, r) = src(r, c), and 0 where gate(c, r) <= 0 if a gate is given. Operates on blocks of 16 x
// 16: rows and columns of both sides must be padded to multiples of 16.
struct Transpose {
  int rows = 0;
  int columns = 0;
  const float* src = nullptr;
  long src_stride = 0;
  float* dst = nullptr;
  long dst_stride = 0;
  const float* gate = nullptr;
  long gate_stride = 0;
};

// dx(i, k) = dy[i * dy_stride] * w[k], gated as in Transpose: the input gradient of a layer with
// one output.
struct OuterRows {
  int rows = 0;
  int columns = 0;  // rounded up to kLanes
  const float* dy = nullptr;
  long dy_stride = 0;
  const float* w = nullptr;
  float* dx = nullptr;
  long dx_stride = 0;
  const float* gate = nullptr;
  long gate_stride = 0;
};

// Both optimisers flush subnormal averages to zero: averages of a dead gradient would otherwise
// decay into the subnormal range and stay there, at half the speed.

// `past_caches`: non-temporal stores, starting at a multiple of kLanes floats. If other cores,
// possibly behind another cache, have just read large arrays, reclaiming the cache lines from them
// costs several times the whole step.

// RMSprop in PyTorch's form; not centered if grad_avg is null.
//   v = alpha v + (1-alpha) g^2;  u = alpha u + (1-alpha) g;  w -= rate g / (sqrt(v - u^2) + eps)
struct RmspropStep {
  float* value = nullptr;
  const float* grad = nullptr;
  float* square_avg = nullptr;
  float* grad_avg = nullptr;
  float scale = 1;  // of the gradient (clipping)
  float rate = 0;
  float alpha = 0;
  float one_minus_alpha = 0;  // rounded from double: 1 - 0.999f is not 0.001f
  float eps = 0;
  bool past_caches = false;
};

// Adam in PyTorch's form.
//   m = b1 m + (1-b1) g;  v = b2 v + (1-b2) g^2;  w -= step m / (sqrt(v) * root + eps)
// with step = rate / (1 - b1^t) and root = 1 / sqrt(1 - b2^t).
struct AdamStep {
  float* value = nullptr;
  const float* grad = nullptr;
  float* exp_avg = nullptr;
  float* exp_avg_sq = nullptr;
  float scale = 1;
  float step = 0;
  float root = 1;
  float beta1 = 0;
  float one_minus_beta1 = 0;
  float beta2 = 0;
  float one_minus_beta2 = 0;
  float eps = 0;
  bool past_caches = false;
};

// Bit observations, `bytes` bytes apart: bit (row * width + column) * channels + channel of
// little-endian 64-bit words; bits beyond the image are zero.
struct BitImages {
  int height = 0;
  int width = 0;
  int channels = 0;
  const unsigned char* words = nullptr;
  std::size_t bytes = 0;
};

// The largest side of such an image.
inline constexpr int kMaxBitImageSide = 32;

// A byte image [channels][height][width], divided into blocks of 4 x 4 pixels.
struct ByteImage {
  int channels = 0;
  int height = 0;
  int width = 0;
  int first_channel = 0;  // channels to convert:
  int last_channel = 0;   // [first, last)
  const unsigned char* bytes = nullptr;
  int block_rows = 0;  // 4 block_rows <= height
  int block_columns = 0;
};

// Four words of four bytes, lowest first.
typedef unsigned FourWords __attribute__((vector_size(16)));

struct Kernels {
  const char* name;

  void (*product)(const Product&);
  void (*transpose)(const Transpose&);

  // out[j] = sum over rows of x(i, j), one chain in row order. Requires columns % kLanes == 0.
  void (*column_sums)(const float* x, long stride, int rows, int columns, float* out);

  // Layers with one output, weights w[depth] contiguous (16 lanes, fixed tree).
  // y[i * y_stride] = bias + x(i, :) . w
  void (*row_dots)(const float* x, long stride, int rows, int depth, const float* w, float bias,
                   float* y, long y_stride);
  void (*outer_rows)(const OuterRows&);
  // out[k] = sum over rows of dy[i * dy_stride] * x(i, k), one chain in row order.
  void (*weighted_sums)(const float* dy, long dy_stride, const float* x, long stride, int rows,
                        int columns, float* out);

  // Sum of the squares of n values. Requires n % kLanes == 0.
  float (*sum_squares)(const float* x, std::size_t n);
  // target = target + tau (online - target)
  void (*polyak)(float* target, const float* online, std::size_t n, float tau);
  void (*rmsprop)(const RmspropStep&, std::size_t begin, std::size_t end);  // multiples of kLanes
  void (*adam)(const AdamStep&, std::size_t begin, std::size_t end);

  // 3x3 convolution, stride 1, no padding, 16 maps, of `count` images, image i into row i of `out`:
  // out(i)[(row * (width-2) + column) * 16 + map] = relu(bias + sum). Weight rows are
  // [(tap_row * 3 + tap_column) * channels + channel][16].
  void (*bit_conv)(const BitImages&, int count, const float* weight, const float* bias, float* out,
                   long stride);
  // For rows i < count in order: grad[tap * channels + channel] += the sum of row i of dy over the
  // set bits of image rows[i], for taps [tap_begin, tap_end).
  void (*bit_conv_weights)(const BitImages&, const int* rows, int count, const float* dy,
                           long stride, float* grad, int tap_begin, int tap_end);

  // Blocks as floats: out[((row * block_columns + column) * channels + channel) * 16 + 4 y + x] =
  // scale * byte(channel, 4 row + y, 4 column + x). Returns the number of zero blocks per channel.
  int (*block_bytes)(const ByteImage&, float scale, float* out);
  // x = gate > 0 ? x : 0. Requires n % kLanes == 0.
  void (*close_gates)(float* x, const float* gate, std::size_t n);

  // `rounds` rounds of independent fused multiply-adds; returns the number of operations (2 per
  // lane and multiply-add).
  double (*burn)(long rounds);
};

// Variants with high and with low tiles, otherwise identical.
namespace avx512_high {
const Kernels& table();
}

namespace avx512_low {
const Kernels& table();
}

namespace avx2 {
const Kernels& table();
}

namespace plain {
const Kernels& table();
}

}  // namespace tarl::nn
