// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "tarl/core/threads.h"
#include "tarl/nn/arena.h"

namespace tarl::nn {

// Observations, one after another, as environments write and replay stores them.
struct ObsRows {
  const std::byte* data = nullptr;
  std::size_t bytes = 0;  // of one observation

  const std::byte* row(int i) const { return data + static_cast<std::size_t>(i) * bytes; }
};

// What stands between an observation and the first linear layer. Made with a ParameterLayout, to
// which it adds its tensors; keeps no state of its own, so one serves online and target networks.
class Encoder {
 public:
  using Maps = std::vector<Rows>;  // activations; the last entry are the features

  virtual ~Encoder() = default;

  virtual int features() const = 0;

  // Our order of the features for PyTorch's (ParameterLayout::add_linear); empty: the same.
  virtual std::vector<int> feature_order() const { return {}; }

  // Floats of a row of backward()'s delta: the gradient of the features, then room that the
  // encoder works in.
  virtual int delta_width() const { return features(); }

  // Multiply-adds of one row by dense count: forward, and of its gradients.
  virtual double forward_work() const { return 0; }

  virtual double backward_work() const { return 0; }

  // Whether it has parameters, and so needs the gradient of its features.
  virtual bool trained() const { return false; }

  // Whether enough features are zero for the next layer to skip them.
  virtual bool sparse() const { return false; }

  virtual Maps take_rows(int rows, Arena& arena) const = 0;

  // Features of `rows`, which are never negative where the encoder is trained: backward() gets
  // their gradient gated by features > 0.
  virtual void forward(const float* values, const ObsRows& obs, Range rows,
                       const Maps& maps) const = 0;

  // Gradients of its parameters. Row i of `delta` belongs to row kept[i] of obs and maps, kept
  // ascending. SPMD: called by every member of the team once delta is complete; on return this
  // rank's part of grads is written (overwritten), meet before using the rest.
  virtual void backward(const float* values, const ObsRows& obs, const Maps& maps,
                        std::span<const int> kept, Rows delta, int rank, Team& team,
                        float* grads) const = 0;
};

}  // namespace tarl::nn
