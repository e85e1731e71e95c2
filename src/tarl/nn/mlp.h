// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "tarl/core/threads.h"
#include "tarl/nn/linear.h"
#include "tarl/nn/parameters.h"

namespace tarl::nn {

// Outputs of each layer for a number of rows; the last are the network's outputs.
struct MlpRows {
  std::vector<Rows> layer;

  Rows output() const { return layer.back(); }
};

// Workspace of a backward pass, allocated once.
struct MlpWork {
  std::vector<Rows> delta;               // gradient of each layer's output, computed last to first
  std::vector<Rows> transposed_rows;     // for layers computed by inputs
  std::vector<Rows> transposed_weights;  // for layers computed by rows

  Rows output() const { return delta.back(); }
};

// Destination of the gradient of the network's input; gate as in linear.h. Empty if not wanted.
struct InputGradient {
  Rows dx;
  ConstRows gate;
};

// Linear layers with ReLUs in between and none after the last. Holds shapes only: values,
// activations and workspaces are arguments, so one Mlp serves online and target networks.
class Mlp {
 public:
  Mlp() = default;

  // Layers fc1, fc2, ... of the hidden widths, then one layer with the given heads; all names start
  // with `prefix`. `first_row_of` applies to the first layer, as in ParameterLayout::add_linear.
  Mlp(ParameterLayout& layout, const std::string& prefix, int in, const std::vector<int>& hidden,
      const std::vector<Head>& heads, const std::vector<int>& first_row_of = {});

  int in() const { return layers_.front().in; }

  int out() const { return layers_.back().out; }

  const std::vector<Linear>& layers() const { return layers_; }

  double multiply_adds() const;  // per row, forward, counted densely

  MlpRows take_rows(int rows, Arena& arena) const;

  // Chooses the cheaper form of each layer's input gradient for the largest batch. The first layer
  // has none unless backward() will be asked for the gradient of the input.
  MlpWork take_work(int batch, bool input_gradient, Arena& arena) const;

  // `sparse` states that many inputs are zero and that rows of x hold padded(in()) floats: the
  // first layer then skips zeros, with the same bits.
  void forward(const float* values, ConstRows x, Range rows, const MlpRows& out,
               bool sparse = false) const;

  // The same in two parts for a team, which may then split the first layer by outputs: every member
  // calls forward_first() over all rows, then, after a barrier, forward_rest() over its rows.
  bool first_by_outputs() const { return layers_.size() > 1 && by_outputs(layers_.front()); }

  void forward_first(const float* values, ConstRows x, int rows, int rank, int team_size,
                     const MlpRows& out, bool sparse) const;
  void forward_rest(const float* values, Range rows, const MlpRows& out) const;

  // One row, into row 0 of `out`, skipping zeros. x must hold padded(in()) floats.
  void forward_row(const float* values, const float* x, const MlpRows& out) const;

  // Updates part `rank` of the transposed weights that backward() uses. Every member of the team
  // calls it after the values change; a barrier or the end of the run must precede backward().
  void refresh(const float* values, int rank, int team_size, const MlpWork& work) const;

  // Gradients of all layers at the parameters' values, and of the input if wanted, over rows [0,
  // n), from work.output(), of which this rank has filled rows share(n, rank, team.size(), kLanes).
  // SPMD: every member calls it, and it contains barriers; inputs x and activations of all rows
  // must be complete by the first of them. It writes this rank's part of the parameters' grads()
  // and its columns or rows of dx; synchronise before using the rest.
  void backward(Parameters& parameters, ConstRows x, const MlpRows& activations,
                const MlpWork& work, int n, const InputGradient& input, int rank, Team& team) const;

 private:
  void backward_layer(std::size_t l, const float* values, const MlpWork& work, int n,
                      const InputGradient& input, int rank, Team& team, bool& rows_ready) const;

  std::vector<Linear> layers_;
};

}  // namespace tarl::nn
