// SPDX-License-Identifier: MIT
#include "tarl/nn/kernel_times.h"

#include <algorithm>
#include <chrono>

#include "tarl/core/error.h"
#include "tarl/nn/instruction_set.h"

namespace tarl::nn {

namespace {

using TimesClock = std::chrono::steady_clock;

using WorkTotals = std::array<WorkDone, kWorks>;

// Only the measuring thread's copy is ever read.
thread_local WorkTotals totals;

const Kernels* measured = nullptr;  // the table wrapped by the recording one

double floats(double count) {
  return count * sizeof(float);
}

// Runs one kernel and records its work.
template <class Call>
auto noted(Work work, double operations, double bytes, Call call) {
  struct Note {
    WorkDone& done;
    TimesClock::time_point begin = TimesClock::now();

    ~Note() {
      const std::chrono::duration<double> spent = TimesClock::now() - begin;
      done.seconds += spent.count();
      ++done.calls;
    }
  };

  WorkDone& done = totals[static_cast<std::size_t>(work)];
  done.operations += operations;
  done.bytes += bytes;
  const Note note{done};
  return call();
}

double depth_of(const Product& p) {
  return static_cast<double>(p.depth) * p.spans;
}

void timed_product(const Product& p) {
  const double rows = p.rows, columns = p.columns, depth = depth_of(p), taps = p.taps;
  const double results = rows * columns * (p.accumulate ? 2 : 1);
  noted(Work::kProducts, 2 * rows * columns * depth * taps,
        floats(rows * depth + (depth * columns + results) * taps), [&] { measured->product(p); });
}

void timed_transpose(const Transpose& p) {
  const double values = double{p.gate != nullptr ? 3.0 : 2.0} * p.rows * p.columns;
  noted(Work::kPasses, 0, floats(values), [&] { measured->transpose(p); });
}

void timed_column_sums(const float* x, long stride, int rows, int columns, float* out) {
  noted(Work::kPasses, 0, floats(double{1} * rows * columns),
        [&] { measured->column_sums(x, stride, rows, columns, out); });
}

void timed_row_dots(const float* x, long stride, int rows, int depth, const float* w, float bias,
                    float* y, long y_stride) {
  const double terms = double{1} * rows * depth;
  noted(Work::kProducts, 2 * terms, floats(terms),
        [&] { measured->row_dots(x, stride, rows, depth, w, bias, y, y_stride); });
}

void timed_outer_rows(const OuterRows& p) {
  const double terms = double{1} * p.rows * p.columns;
  noted(Work::kProducts, 2 * terms, floats(terms * (p.gate != nullptr ? 2 : 1)),
        [&] { measured->outer_rows(p); });
}

void timed_weighted_sums(const float* dy, long dy_stride, const float* x, long stride, int rows,
                         int columns, float* out) {
  const double terms = double{1} * rows * columns;
  noted(Work::kProducts, 2 * terms, floats(terms),
        [&] { measured->weighted_sums(dy, dy_stride, x, stride, rows, columns, out); });
}

float timed_sum_squares(const float* x, std::size_t n) {
  return noted(Work::kOptimiser, 0, floats(static_cast<double>(n)),
               [&] { return measured->sum_squares(x, n); });
}

void timed_polyak(float* target, const float* online, std::size_t n, float tau) {
  noted(Work::kOptimiser, 0, floats(3 * static_cast<double>(n)),
        [&] { measured->polyak(target, online, n, tau); });
}

void timed_rmsprop(const RmspropStep& step, std::size_t begin, std::size_t end) {
  const double arrays = step.grad_avg != nullptr ? 7 : 5;
  noted(Work::kOptimiser, 0, floats(arrays * static_cast<double>(end - begin)),
        [&] { measured->rmsprop(step, begin, end); });
}

void timed_adam(const AdamStep& step, std::size_t begin, std::size_t end) {
  noted(Work::kOptimiser, 0, floats(7 * static_cast<double>(end - begin)),
        [&] { measured->adam(step, begin, end); });
}

// Counted densely: every tap of every output of the sixteen maps.
double bit_conv_operations(const BitImages& images, int count, int taps) {
  return 2.0 * count * (images.height - 2) * (images.width - 2) * kLanes * taps * images.channels;
}

double bit_conv_bytes(const BitImages& images, int count) {
  return floats(double{1} * count * (images.height - 2) * (images.width - 2) * kLanes);
}

void timed_bit_conv(const BitImages& images, int count, const float* weight, const float* bias,
                    float* out, long stride) {
  noted(Work::kProducts, bit_conv_operations(images, count, 9), bit_conv_bytes(images, count),
        [&] { measured->bit_conv(images, count, weight, bias, out, stride); });
}

void timed_bit_conv_weights(const BitImages& images, const int* rows, int count, const float* dy,
                            long stride, float* grad, int tap_begin, int tap_end) {
  noted(Work::kProducts, bit_conv_operations(images, count, tap_end - tap_begin),
        bit_conv_bytes(images, count), [&] {
          measured->bit_conv_weights(images, rows, count, dy, stride, grad, tap_begin, tap_end);
        });
}

int timed_block_bytes(const ByteImage& image, float scale, float* out) {
  const double values =
      16.0 * image.block_rows * image.block_columns * (image.last_channel - image.first_channel);
  return noted(Work::kPasses, 0, values + floats(values),
               [&] { return measured->block_bytes(image, scale, out); });
}

void timed_close_gates(float* x, const float* gate, std::size_t n) {
  noted(Work::kPasses, 0, floats(3 * static_cast<double>(n)),
        [&] { measured->close_gates(x, gate, n); });
}

double timed_burn(long rounds) {
  return measured->burn(rounds);
}

constexpr Kernels timed_table(const char* name) {
  return {name,
          timed_product,
          timed_transpose,
          timed_column_sums,
          timed_row_dots,
          timed_outer_rows,
          timed_weighted_sums,
          timed_sum_squares,
          timed_polyak,
          timed_rmsprop,
          timed_adam,
          timed_bit_conv,
          timed_bit_conv_weights,
          timed_block_bytes,
          timed_close_gates,
          timed_burn};
}

Kernels timed = timed_table("");

// The minimum over many readings: the overhead of timing one kernel call.
double seconds_of_reading() {
  double least = 1;
  for (int i = 0; i < 1000; ++i) {
    const TimesClock::time_point begin = TimesClock::now();
    least = std::min(least, std::chrono::duration<double>(TimesClock::now() - begin).count());
  }
  return least;
}

}  // namespace

KernelTimes::KernelTimes() : clock_seconds_(seconds_of_reading()) {
  require(measured == nullptr, "another KernelTimes is active");
  measured = &kernels();
  timed.name = measured->name;
  replace_kernels(timed);
  clear();
}

// replace_kernels() throws only if selecting the first table fails, which the constructor rules
// out.
KernelTimes::~KernelTimes() {  // NOLINT(bugprone-exception-escape)
  replace_kernels(*measured);
  measured = nullptr;
}

void KernelTimes::clear() {
  totals = {};
}

WorkDone KernelTimes::done(Work work) const {
  WorkDone done = totals[static_cast<std::size_t>(work)];
  done.seconds = std::max(0.0, done.seconds - clock_seconds_ * static_cast<double>(done.calls));
  return done;
}

double KernelTimes::overhead() const {
  long calls = 0;
  for (const WorkDone& done : totals) calls += done.calls;
  return 2 * clock_seconds_ * static_cast<double>(calls);  // before and after each
}

}  // namespace tarl::nn
