// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "tarl/core/threads.h"
#include "tarl/nn/arena.h"

namespace tarl::nn {

// Contiguous observations in the format that environments write and replay stores.
struct ObsRows {
  const std::byte* data = nullptr;
  std::size_t bytes = 0;  // of one observation

  const std::byte* row(int i) const { return data + static_cast<std::size_t>(i) * bytes; }
};

// The layers between an observation and the first linear layer. Constructed with a ParameterLayout,
// to which it adds its tensors. Stateless, so one encoder serves online and target networks.
class Encoder {
 public:
  using Maps = std::vector<Rows>;  // activations; the last entry holds the features

  virtual ~Encoder() = default;

  virtual int features() const = 0;

  // Maps PyTorch's order of the features to ours (ParameterLayout::add_linear); empty if they
  // agree.
  virtual std::vector<int> feature_order() const { return {}; }

  // Floats per row of backward()'s delta: the gradient of the features, then the encoder's scratch.
  virtual int delta_width() const { return features(); }

  // Multiply-adds per row, counted densely: forward, and for the gradients.
  virtual double forward_work() const { return 0; }

  virtual double backward_work() const { return 0; }

  // Whether it has parameters and therefore needs the gradient of its features.
  virtual bool trained() const { return false; }

  // Whether enough features are zero for the next layer to skip them.
  virtual bool sparse() const { return false; }

  virtual Maps take_rows(int rows, Arena& arena) const = 0;

  // Features of `rows`. They are non-negative if the encoder is trained: backward() receives their
  // gradient masked by features > 0.
  virtual void forward(const float* values, const ObsRows& obs, Range rows,
                       const Maps& maps) const = 0;

  // Gradients of the encoder's parameters. Row i of `delta` belongs to row kept[i] of obs and maps;
  // kept is ascending. SPMD: every member of the team calls it once delta is complete. It
  // overwrites this rank's part of grads; synchronise before using the rest.
  virtual void backward(const float* values, const ObsRows& obs, const Maps& maps,
                        std::span<const int> kept, Rows delta, int rank, Team& team,
                        float* grads) const = 0;
};

}  // namespace tarl::nn
