// SPDX-License-Identifier: MIT
#include "tarl/nn/mlp.h"

#include "tarl/core/error.h"
#include "tarl/nn/kernels/kernels.h"

namespace tarl::nn {

namespace {

constexpr int kOutputGrain = 4 * kLanes;  // the width of the widest tiles

}  // namespace

Mlp::Mlp(ParameterLayout& layout, const std::string& prefix, int in, const std::vector<int>& hidden,
         const std::vector<Head>& heads, const std::vector<int>& first_row_of) {
  int width = in;
  for (std::size_t i = 0; i < hidden.size(); ++i) {
    const std::string name = prefix + "fc" + std::to_string(i + 1);
    layers_.push_back(
        layout.add_linear(name, width, hidden[i], i == 0 ? first_row_of : std::vector<int>{}));
    width = hidden[i];
  }
  std::vector<Head> named = heads;
  for (Head& head : named) head.name = prefix + head.name;
  require(!hidden.empty() || first_row_of.empty(),
          "an image encoder must be followed by a hidden layer");
  layers_.push_back(layout.add_heads(named, width));
}

double Mlp::multiply_adds() const {
  double sum = 0;
  for (const Linear& layer : layers_) sum += static_cast<double>(layer.in) * layer.out;
  return sum;
}

MlpRows Mlp::take_rows(int rows, Arena& arena) const {
  MlpRows out;
  for (const Linear& layer : layers_) out.layer.push_back(arena.take_rows(rows, layer.out));
  return out;
}

MlpWork Mlp::take_work(int batch, bool input_gradient, Arena& arena) const {
  MlpWork work;
  for (std::size_t l = 0; l < layers_.size(); ++l) {
    const Linear& layer = layers_[l];
    const bool wanted = l > 0 || input_gradient;
    const bool transposed = by_inputs(layer, batch);
    work.delta.push_back(arena.take_rows(batch, layer.out));
    work.transposed_rows.push_back(wanted && transposed ? take_transposed_rows(layer, batch, arena)
                                                        : Rows{});
    work.transposed_weights.push_back(wanted && !transposed ? take_transposed_weights(layer, arena)
                                                            : Rows{});
  }
  return work;
}

void Mlp::forward(const float* values, ConstRows x, Range rows, const MlpRows& out,
                  bool sparse) const {
  if (rows.size() == 0) return;
  for (std::size_t l = 0; l < layers_.size(); ++l) {
    const ConstRows input = l == 0 ? x : ConstRows(out.layer[l - 1]);
    const ForwardOptions options{l + 1 < layers_.size(), sparse && l == 0};
    nn::forward(layers_[l], values, input, rows, out.layer[l], options);
  }
}

void Mlp::forward_first(const float* values, ConstRows x, int rows, int rank, int team_size,
                        const MlpRows& out, bool sparse) const {
  const Linear& layer = layers_.front();
  const Range outputs = share(padded(layer.out), rank, team_size, kOutputGrain);
  forward_outputs(layer, values, x, {0, rows}, outputs, out.layer[0], {true, sparse});
}

void Mlp::forward_rest(const float* values, Range rows, const MlpRows& out) const {
  if (rows.size() == 0) return;
  for (std::size_t l = 1; l < layers_.size(); ++l) {
    const ForwardOptions options{l + 1 < layers_.size(), false};
    nn::forward(layers_[l], values, out.layer[l - 1], rows, out.layer[l], options);
  }
}

void Mlp::forward_row(const float* values, const float* x, const MlpRows& out) const {
  for (std::size_t l = 0; l < layers_.size(); ++l) {
    const ConstRows input = l == 0 ? ConstRows(x, 0) : ConstRows(out.layer[l - 1]);
    const ForwardOptions options{l + 1 < layers_.size(), true};
    nn::forward(layers_[l], values, input, {0, 1}, out.layer[l], options);
  }
}

void Mlp::refresh(const float* values, int rank, int team_size, const MlpWork& work) const {
  for (std::size_t l = 0; l < layers_.size(); ++l) {
    if (!work.transposed_weights[l]) continue;
    const Range inputs = share(layers_[l].in, rank, team_size, kLanes);
    transpose_weights(layers_[l], values, inputs, work.transposed_weights[l]);
  }
}

void Mlp::backward_layer(std::size_t l, const float* values, const MlpWork& work, int n,
                         const InputGradient& input, int rank, Team& team, bool& rows_ready) const {
  const Linear& layer = layers_[l];
  const Range rows = share(n, rank, team.size(), kLanes);
  if (!rows_ready) team.barrier();
  rows_ready = true;
  if (!work.transposed_rows[l]) {
    backward_rows(layer, values, work.transposed_weights[l], work.delta[l], rows, input.dx,
                  input.gate);
    return;
  }
  transpose_rows(layer, work.delta[l], rows, work.transposed_rows[l]);
  team.barrier();
  const Range inputs = share(layer.in, rank, team.size(), kLanes);
  backward_inputs(layer, values, work.transposed_rows[l], n, inputs, input.dx, input.gate);
  rows_ready = false;
}

void Mlp::backward(Parameters& parameters, ConstRows x, const MlpRows& activations,
                   const MlpWork& work, int n, const InputGradient& input, int rank,
                   Team& team) const {
  bool rows_ready = true;
  bool met = false;
  for (std::size_t l = layers_.size(); l-- > 0;) {
    if (l == 0 && !input.dx) break;
    const InputGradient to =
        l == 0 ? input : InputGradient{work.delta[l - 1], activations.layer[l - 1]};
    backward_layer(l, parameters.values(), work, n, to, rank, team, rows_ready);
    // Layers below the top that are computed by inputs had a barrier before them; the first layer's
    // own input gradient is not read here.
    met = (l == 0 && !rows_ready);
  }
  if (!met) team.barrier();
  for (std::size_t l = 0; l < layers_.size(); ++l) {
    const ConstRows in = l == 0 ? x : ConstRows(activations.layer[l - 1]);
    const Range inputs = share(layers_[l].in, rank, team.size(), kLanes);
    backward_weights(layers_[l], in, work.delta[l], n, inputs, parameters.grads());
  }
}

}  // namespace tarl::nn
