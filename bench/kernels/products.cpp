// SPDX-License-Identifier: MIT
//
// Matrix products in the learners' shapes against the measured multiply-add peak, one thread, best
// window by the thread's CPU clock: forward (bias, ReLU), weight gradient, input gradient.

#include <algorithm>
#include <cstdio>
#include <functional>

#include <time.h>

#include "tarl/core/rng.h"
#include "tarl/nn/instruction_set.h"
#include "tarl/nn/linear.h"
#include "tarl/nn/optimizer.h"

namespace {

using namespace tarl;
using namespace tarl::nn;

double thread_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

double best_seconds(const std::function<void()>& work) {
  work();
  double best = 1e9, spent = 0;
  while (spent < 0.15) {
    const double begin = thread_seconds();
    work();
    const double window = thread_seconds() - begin;
    best = std::min(best, window);
    spent += window;
  }
  return best;
}

void bench_shape(int batch, int out, int in) {
  Arena arena;
  ParameterLayout layout;
  const Linear layer = layout.add_linear("fc", in, out);
  Parameters parameters = Parameters::trained(layout, 2, arena);
  Rng rng = seeded(1);
  parameters.initialise(rng);
  const Rows x = arena.take_rows(batch, in), y = arena.take_rows(batch, out);
  const Rows dx = arena.take_rows(batch, in), dy = arena.take_rows(batch, out);
  for (int i = 0; i < batch; ++i) {
    for (int k = 0; k < in; ++k) x.row(i)[k] = static_cast<float>(rng.normal());
    for (int n = 0; n < out; ++n) dy.row(i)[n] = static_cast<float>(rng.normal());
  }
  const Rows weights_t = take_transposed_weights(layer, arena);
  const Rows rows_t = take_transposed_rows(layer, batch, arena);
  const float* values = parameters.values();
  const Range rows{0, batch}, inputs{0, in};
  const double operations = 2.0 * batch * out * in * 1e-9;
  const double fwd = best_seconds([&] { forward(layer, values, x, rows, y, {.relu = true}); });
  const double dw =
      best_seconds([&] { backward_weights(layer, x, dy, batch, inputs, parameters.grads()); });
  const double by_row = best_seconds([&] {
    transpose_weights(layer, values, inputs, weights_t);
    backward_rows(layer, values, weights_t, dy, rows, dx, x);
  });
  const double by_input = best_seconds([&] {
    transpose_rows(layer, dy, rows, rows_t);
    backward_inputs(layer, values, rows_t, batch, inputs, dx, x);
  });
  Optimizer optimizer({.kind = OptimizerKind::kRmsprop});
  std::vector<double> squares(static_cast<std::size_t>(norm_chunks(parameters)));
  const double step = best_seconds([&] {
    optimizer.apply(parameters, {0, static_cast<int>(parameters.size())}, 0.5F);
  });
  const double norm = best_seconds([&] {
    square_gradients(parameters, {0, norm_chunks(parameters)}, squares);
  });
  std::printf(
      "%4d %4d %5d | forward %6.1f  weights %6.1f  input by rows %6.1f  by inputs %6.1f "
      "GFLOP/s | rmsprop %6.1f us  norm %5.1f us\n",
      batch, out, in, operations / fwd, operations / dw, operations / by_row, operations / by_input,
      step * 1e6, norm * 1e6);
}

}  // namespace

int main(int argc, char** argv) {
  use_instruction_set(argc > 1 ? argv[1] : "auto");
  std::printf("%s, peak %.1f GFLOP/s\nbatch out in\n", kernels().name, measure_peak_gflops(0.3));
  bench_shape(256, 256, 256);
  bench_shape(512, 256, 256);
  bench_shape(256, 256, 14);
  bench_shape(256, 256, 393);
  bench_shape(32, 128, 1024);
  bench_shape(64, 128, 1024);
  bench_shape(32, 512, 1024);
  bench_shape(32, 64, 64);
  std::printf("peak again %.1f GFLOP/s\n", measure_peak_gflops(0.3));
}
