// SPDX-License-Identifier: MIT
#include "tarl/nn/linear.h"

#include <algorithm>
#include <cmath>

#include "tarl/core/error.h"
#include "tarl/nn/instruction_set.h"

namespace tarl::nn {

namespace {

void backward_one_output(const Linear& layer, ConstRows x, ConstRows dy, int rows, Range inputs,
                         float* grads) {
  if (inputs.begin == 0) {
    float sum = 0;
    for (int i = 0; i < rows; ++i) sum += *dy.row(i);
    grads[layer.bias] = sum;
  }
  const int whole = inputs.size() / kLanes * kLanes;
  float* out = grads + layer.weight + inputs.begin;
  kernels().weighted_sums(dy.data, dy.stride, x.data + inputs.begin, x.stride, rows, whole, out);
  // Rows of an input may lack the padding that vector loads need.
  for (int k = whole; k < inputs.size(); ++k) {
    float sum = 0;
    for (int i = 0; i < rows; ++i) sum = std::fma(*dy.row(i), x.row(i)[inputs.begin + k], sum);
    out[k] = sum;
  }
}

// Weights that far exceed the L2 cache are processed in slabs of inputs; all rows use a slab before
// the next is loaded. This pays off for low tiles, which read the weights often.
constexpr long kSlabFloats = 128L * 1024;
constexpr int kRowsForSlabs = 8;

bool is_large(const Linear& layer) {
  return static_cast<long>(layer.in) * layer.stride >= 4 * kSlabFloats;
}

// Half of the smallest L1 cache.
constexpr int kFirstCacheFloats = 4096;

int slab_inputs(const Linear& layer, int rows, int outputs, ForwardOptions options) {
  if (!is_large(layer) || rows < kRowsForSlabs || !options.skip_zeros) return layer.in;
  return static_cast<int>(std::max<long>(1, kSlabFloats / outputs / kLanes)) * kLanes;
}

}  // namespace

void forward(const Linear& layer, const float* values, ConstRows x, Range rows, Rows y,
             ForwardOptions options) {
  if (layer.out == 1) {
    require(!options.relu, "a layer with a single output has no ReLU");
    kernels().row_dots(x.row(rows.begin), x.stride, rows.size(), layer.in, values + layer.weight,
                       values[layer.bias], y.row(rows.begin), y.stride);
    return;
  }
  forward_outputs(layer, values, x, rows, {0, padded(layer.out)}, y, options);
}

bool by_outputs(const Linear& layer) {
  return is_large(layer);
}

void forward_outputs(const Linear& layer, const float* values, ConstRows x, Range rows,
                     Range outputs, Rows y, ForwardOptions options) {
  if (rows.size() == 0 || outputs.size() == 0) return;
  Product p;
  p.rows = rows.size();
  p.columns = outputs.size();
  p.a_row = x.stride;
  p.b_stride = layer.stride;
  p.c = y.row(rows.begin) + outputs.begin;
  p.c_stride = y.stride;
  p.bias = values + layer.bias + outputs.begin;
  p.skip_zeros = options.skip_zeros;
  const int slab = slab_inputs(layer, rows.size(), outputs.size(), options);
  for (int k = 0; k < layer.in; k += slab) {
    const bool last = k + slab >= layer.in;
    p.depth = last ? layer.in - k : slab;
    p.a = x.row(rows.begin) + k;
    p.b = values + layer.weight + static_cast<long>(k) * layer.stride + outputs.begin;
    p.accumulate = k > 0;
    p.finish = last && options.relu ? Finish::kRelu : Finish::kStore;
    kernels().product(p);
  }
}

bool by_inputs(const Linear& layer, int batch) {
  return layer.out > 1 && static_cast<long>(batch) * (layer.in + layer.out) <
                              static_cast<long>(layer.in) * layer.out;
}

Rows take_transposed_weights(const Linear& layer, Arena& arena) {
  return layer.out == 1 ? Rows{} : arena.take_rows(layer.out, layer.in);
}

void transpose_weights(const Linear& layer, const float* values, Range inputs, Rows transposed) {
  if (layer.out == 1 || inputs.size() == 0) return;
  // Whole blocks only; values read past the last row land in padding.
  const int whole = inputs.size() / kLanes * kLanes;
  Transpose t;
  t.rows = whole;
  t.columns = layer.out;
  t.src = values + layer.weight + static_cast<long>(inputs.begin) * layer.stride;
  t.src_stride = layer.stride;
  t.dst = transposed.data + inputs.begin;
  t.dst_stride = transposed.stride;
  if (whole > 0) kernels().transpose(t);
  for (int k = inputs.begin + whole; k < inputs.end; ++k) {
    const float* row = values + layer.weight + static_cast<long>(k) * layer.stride;
    for (int n = 0; n < layer.out; ++n) transposed.row(n)[k] = row[n];
  }
}

void backward_rows(const Linear& layer, const float* values, ConstRows transposed, ConstRows dy,
                   Range rows, Rows dx, ConstRows gate) {
  if (layer.out == 1) {
    OuterRows p;
    p.rows = rows.size();
    p.columns = padded(layer.in);
    p.dy = dy.row(rows.begin);
    p.dy_stride = dy.stride;
    p.w = values + layer.weight;
    p.dx = dx.row(rows.begin);
    p.dx_stride = dx.stride;
    p.gate = gate ? gate.row(rows.begin) : nullptr;
    p.gate_stride = gate.stride;
    kernels().outer_rows(p);
    return;
  }
  Product p;
  p.rows = rows.size();
  p.columns = padded(layer.in);
  p.depth = layer.out;
  p.a = dy.row(rows.begin);
  p.a_row = dy.stride;
  p.b = transposed.data;
  p.b_stride = transposed.stride;
  p.c = dx.row(rows.begin);
  p.c_stride = dx.stride;
  if (gate) {
    p.finish = Finish::kGate;
    p.gate = gate.row(rows.begin);
    p.gate_stride = gate.stride;
  }
  kernels().product(p);
}

Rows take_transposed_rows(const Linear& layer, int batch, Arena& arena) {
  return arena.take_rows(layer.out, padded(batch));
}

void transpose_rows(const Linear& layer, ConstRows dy, Range rows, Rows transposed) {
  Transpose t;
  t.rows = rows.size();
  t.columns = layer.out;
  t.src = dy.row(rows.begin);
  t.src_stride = dy.stride;
  t.dst = transposed.data + rows.begin;
  t.dst_stride = transposed.stride;
  if (rows.size() > 0) kernels().transpose(t);
}

void backward_inputs(const Linear& layer, const float* values, ConstRows transposed, int batch,
                     Range inputs, Rows dx, ConstRows gate) {
  // A block of inputs times a panel of rows goes through a buffer that stays in the L1 cache.
  constexpr int kBlock = 64, kPanel = 64;
  alignas(64) float block[kBlock * kPanel] = {};
  for (int first = 0; first < batch; first += kPanel) {
    const int columns = padded(std::min(kPanel, batch - first));
    for (int k = inputs.begin; k < inputs.end; k += kBlock) {
      Product p;
      p.rows = std::min(kBlock, inputs.end - k);
      p.columns = columns;
      p.depth = layer.out;
      p.a = values + layer.weight + static_cast<long>(k) * layer.stride;
      p.a_row = layer.stride;
      p.b = transposed.data + first;
      p.b_stride = transposed.stride;
      p.c = block;
      p.c_stride = kPanel;
      kernels().product(p);
      Transpose t;
      t.rows = p.rows;
      t.columns = columns;
      t.src = block;
      t.src_stride = kPanel;
      t.dst = dx.row(first) + k;
      t.dst_stride = dx.stride;
      t.gate = gate ? gate.row(first) + k : nullptr;
      t.gate_stride = gate.stride;
      kernels().transpose(t);
    }
  }
}

void backward_weights(const Linear& layer, ConstRows x, ConstRows dy, int rows, Range inputs,
                      float* grads) {
  if (inputs.size() == 0) return;
  if (layer.out == 1) {
    backward_one_output(layer, x, dy, rows, inputs, grads);
    return;
  }
  const Kernels& use = kernels();
  if (inputs.begin == 0) {
    use.column_sums(dy.data, dy.stride, rows, padded(layer.out), grads + layer.bias);
  }
  Product p;
  p.rows = inputs.size();
  p.columns = padded(layer.out);
  p.depth = rows;
  p.a = x.data + inputs.begin;
  p.a_row = 1;
  p.a_depth = x.stride;
  p.b = dy.data;
  p.b_stride = dy.stride;
  p.c = grads + layer.weight + static_cast<long>(inputs.begin) * layer.stride;
  p.c_stride = layer.stride;
  // Gradients are better written in order if they exceed the cache, or if all of dy stays in L1.
  p.columns_outer = !is_large(layer) && rows * padded(layer.out) > kFirstCacheFloats;
  use.product(p);
}

}  // namespace tarl::nn
