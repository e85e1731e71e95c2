// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "tarl/core/threads.h"
#include "tarl/nn/linear.h"
#include "tarl/nn/parameters.h"

namespace tarl::nn {

// Outputs of each layer for a number of rows; the last is the network's output.
struct MlpRows {
  std::vector<Rows> layer;

  Rows output() const { return layer.back(); }
};

// What a backward pass needs beside the activations, sized once.
struct MlpWork {
  std::vector<Rows> delta;               // gradient of each layer's output, filled from the last
  std::vector<Rows> transposed_rows;     // for layers taken by inputs
  std::vector<Rows> transposed_weights;  // for layers taken by rows

  Rows output() const { return delta.back(); }
};

// Where the gradient of the network's input goes; gate as in linear.h. Empty: not wanted.
struct InputGradient {
  Rows dx;
  ConstRows gate;
};

// Linear layers with ReLUs between and none after the last. Knows shapes only: values, activations
// and workspaces are passed in, so one Mlp serves online and target networks.
class Mlp {
 public:
  Mlp() = default;

  // Layers fc1, fc2, ... of the hidden widths, then one layer with the given heads, all names
  // behind `prefix`. `first_row_of` as in ParameterLayout::add_linear, for the first layer.
  Mlp(ParameterLayout& layout, const std::string& prefix, int in, const std::vector<int>& hidden,
      const std::vector<Head>& heads, const std::vector<int>& first_row_of = {});

  int in() const { return layers_.front().in; }

  int out() const { return layers_.back().out; }

  const std::vector<Linear>& layers() const { return layers_; }

  double multiply_adds() const;  // of one row forward, dense

  MlpRows take_rows(int rows, Arena& arena) const;

  // Decides for each layer, by the largest batch, which form of its input gradient is cheaper. The
  // first layer has none unless backward() will be asked for the gradient of the input.
  MlpWork take_work(int batch, bool input_gradient, Arena& arena) const;

  // `sparse` says that many inputs are zero and rows of x have room for padded(in()) floats: the
  // first layer then skips zeros, with the same bits.
  void forward(const float* values, ConstRows x, Range rows, const MlpRows& out,
               bool sparse = false) const;

  // The same in two parts for a team, whose members may then split the first layer by outputs:
  // forward_first() by every member over all rows, a meeting, forward_rest() by rows.
  bool first_by_outputs() const { return layers_.size() > 1 && by_outputs(layers_.front()); }

  void forward_first(const float* values, ConstRows x, int rows, int rank, int team_size,
                     const MlpRows& out, bool sparse) const;
  void forward_rest(const float* values, Range rows, const MlpRows& out) const;

  // One row, into row 0 of `out`, skipping zeros. x has room for padded(in()) floats.
  void forward_row(const float* values, const float* x, const MlpRows& out) const;

  // Part `rank` of the transposed weights backward() uses. Call on all of the team after the
  // values changed, and meet (a barrier or the end of the run) before backward().
  void refresh(const float* values, int rank, int team_size, const MlpWork& work) const;

  // Gradients of all layers at the parameters' values, and of the input if wanted, over rows [0,
  // n), from work.output(), of which this rank has filled rows share(n, rank, team.size(), kLanes).
  // SPMD: called by every member, meets the others inside; inputs x and activations of all rows
  // must be complete by the first meeting. On return this rank's part of the parameters' grads()
  // and its columns or rows of dx are written; meet before using the rest.
  void backward(Parameters& parameters, ConstRows x, const MlpRows& activations,
                const MlpWork& work, int n, const InputGradient& input, int rank, Team& team) const;

 private:
  void backward_layer(std::size_t l, const float* values, const MlpWork& work, int n,
                      const InputGradient& input, int rank, Team& team, bool& rows_ready) const;

  std::vector<Linear> layers_;
};

}  // namespace tarl::nn
