// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>

namespace tarl::nn {

// The inner loops, compiled once per instruction set and chosen at run time. All sets give the
// same bits:
//  - an output element of a product is one chain of fused multiply-adds over the depth, in
//    ascending order, starting from the bias (or zero, or what was there);
//  - a sum to one number is kept in 16 lanes (element i goes to lane i mod 16) folded by one fixed
//    tree, whatever the width of a register;
//  - everything else is one IEEE operation at a time.
// A row's result therefore depends neither on the rows beside it nor on the number of threads.
// Kernels do not allocate and do not throw.

// Floats of one vector: widths are multiples of it, and padding beyond a matrix's last column
// holds zeros.
inline constexpr int kLanes = 16;

namespace {

// Floats of `count` vectors, as an offset. Each file has a function of its own: files of other
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

// C = A B. A is read element by element, so both of its strides are free (transposed use needs no
// copy); B and C are read in rows of vectors.
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
  bool accumulate = false;      // the chain goes on from what C holds
  Finish finish = Finish::kStore;
  const float* gate = nullptr;  // [rows][columns], for kGate
  long gate_stride = 0;
  bool columns_outer = false;  // keep a panel of B in cache instead of a panel of A
  // Passes over depths where A is zero for all rows of a tile: the same bits while B is finite.
  // Requires a_depth = 1 and rows of A with room for the depth rounded up to kLanes.
  bool skip_zeros = false;
  bool rows_alike = false;  // neighbouring rows have their zeros in common: tiles may be high
  // The depth may go on in further stretches of A, while B's rows follow one another: `depth` is
  // one stretch, the next begins at a + a_stretch. So a window of an image is a row of A.
  int stretches = 1;
  long a_stretch = 0;
  // The same A times several B, one product after another: number t reads B at b + t * b_tap and
  // writes C at c + c_taps[t]. A convolution's gradient takes a tap of its kernel each.
  int taps = 1;
  long b_tap = 0;
  const long* c_taps = nullptr;  // null: C as it is, for a single one
};

// dst(c, r) = src(r, c), and 0 where gate(c, r) <= 0 if a gate is given. Reads and writes blocks
// of 16 x 16: both sides have room for rows and columns rounded up.
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

// Both optimisers keep averages that would be subnormal at zero: where a gradient has died they
// would otherwise shrink into that range and stay, at half the speed.

// With `past_caches` values go straight to memory, from a boundary of kLanes floats on: where other
// cores have just read all of many values, and perhaps through another cache, taking the lines back
// from them costs several times the whole step.

// RMSprop in PyTorch's form; `centered` is off when grad_avg is null.
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

// Observations of bits, one every `bytes` bytes: bit (row * width + column) * channels + channel of
// little-endian 64-bit words; bits beyond the image are zero.
struct BitImages {
  int height = 0;
  int width = 0;
  int channels = 0;
  const unsigned char* words = nullptr;
  std::size_t bytes = 0;
};

// Largest side of such an image.
inline constexpr int kMaxBitImageSide = 32;

// An image of bytes [channels][height][width], cut into blocks of 4 x 4 pixels.
struct ByteImage {
  int channels = 0;
  int height = 0;
  int width = 0;
  int first_channel = 0;  // of those to turn
  int last_channel = 0;   // and the one behind
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

  // out[j] = sum over rows of x(i, j), one chain in row order; columns a multiple of kLanes.
  void (*column_sums)(const float* x, long stride, int rows, int columns, float* out);

  // Layers with one output, weights w[depth] contiguous (16 lanes, fixed tree).
  // y[i * y_stride] = bias + x(i, :) . w
  void (*row_dots)(const float* x, long stride, int rows, int depth, const float* w, float bias,
                   float* y, long y_stride);
  void (*outer_rows)(const OuterRows&);
  // out[k] = sum over rows of dy[i * dy_stride] * x(i, k), one chain in row order.
  void (*weighted_sums)(const float* dy, long dy_stride, const float* x, long stride, int rows,
                        int columns, float* out);

  // Sum of squares of n values (a multiple of kLanes).
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
  // grad[tap * channels + channel] += sum over the set bits of image rows[i] of row i of dy, for i
  // below `count` in order and taps [tap_begin, tap_end).
  void (*bit_conv_weights)(const BitImages&, const int* rows, int count, const float* dy,
                           long stride, float* grad, int tap_begin, int tap_end);

  // Blocks as floats: out[((row * block_columns + column) * channels + channel) * 16 + 4 y + x] =
  // scale * byte(channel, 4 row + y, 4 column + x). Returns how many blocks of a channel are zero.
  int (*block_bytes)(const ByteImage&, float scale, float* out);
  // x = gate > 0 ? x : 0, for n values (a multiple of kLanes).
  void (*close_gates)(float* x, const float* gate, std::size_t n);

  // `rounds` rounds of independent fused multiply-adds, returns their number of operations
  // (2 per lane and multiply-add).
  double (*burn)(long rounds);
};

// Tiles of many rows and of few, the same otherwise.
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
