// SPDX-License-Identifier: MIT
#pragma once

#include <cmath>
#include <functional>
#include <vector>

#include "tarl/agents/policy_math.h"
#include "tarl/fleet/actor_critic/device.h"
#include "tarl/nn/optimizer.h"

// One update of SAC or TD3 in float64, written from the equations. On request it rounds what an
// update in fp16 rounds: the operands of the hidden layers' products.
namespace tarl::fleet::test {

// To 11 bits of mantissa. Slopes are scaled before they are rounded, so that only values have a
// smallest step.
class Rounding {
 public:
  explicit Rounding(bool halves) : halves_(halves) {}

  double value(double x) const { return to_multiples(x, 0x1p-24); }

  double slope(double x) const { return to_multiples(x, 0); }

 private:
  double to_multiples(double x, double least) const {
    if (!halves_ || x == 0) return x;
    int exponent = 0;
    std::frexp(x, &exponent);
    const double unit = std::max(std::ldexp(1, exponent - 11), least);
    return std::nearbyint(x / unit) * unit;
  }

  bool halves_;
};

struct Grid {
  Grid(int row_count, int column_count)
      : rows(row_count),
        columns(column_count),
        numbers(static_cast<std::size_t>(row_count) * static_cast<std::size_t>(column_count)) {}

  double& at(int row, int column) { return numbers[place(row, column)]; }

  double at(int row, int column) const { return numbers[place(row, column)]; }

  std::size_t place(int row, int column) const {
    return static_cast<std::size_t>(row) * static_cast<std::size_t>(columns) +
           static_cast<std::size_t>(column);
  }

  int rows, columns;
  std::vector<double> numbers;
};

inline std::size_t weight_at(const nn::Linear& layer, int in, int out) {
  return layer.weight + static_cast<std::size_t>(in) * static_cast<std::size_t>(layer.stride) +
         static_cast<std::size_t>(out);
}

// A pass of rows through one network.
class NetPass {
 public:
  NetPass(const nn::Mlp& net, const std::vector<double>& values, Grid x, Rounding rounding)
      : net_(net), values_(values), rounding_(rounding), made_{std::move(x)} {
    for (std::size_t l = 0; l < net.layers().size(); ++l) made_.push_back(forward(l));
  }

  const Grid& out() const { return made_.back(); }

  // The gradient at the inputs, of kept rows; adds those of the parameters to `grads`, if any.
  Grid backward(Grid slope, const std::vector<std::int32_t>& rows,
                std::vector<double>* grads) const {
    for (std::size_t l = net_.layers().size(); l-- > 0;) {
      if (grads != nullptr) add_gradients(l, slope, rows, *grads);
      slope = at_inputs(l, slope, rows);
    }
    return slope;
  }

 private:
  bool hidden(std::size_t l) const { return l + 1 < net_.layers().size(); }

  double value(std::size_t l, double x) const { return hidden(l) ? rounding_.value(x) : x; }

  double slope(std::size_t l, double x) const { return hidden(l) ? rounding_.slope(x) : x; }

  double weight(std::size_t l, int in, int out) const {
    return value(l, values_[weight_at(net_.layers()[l], in, out)]);
  }

  Grid forward(std::size_t l) const {
    const nn::Linear& layer = net_.layers()[l];
    const Grid& x = made_[l];
    Grid y(x.rows, layer.out);
    for (int row = 0; row < x.rows; ++row) {
      for (int j = 0; j < layer.out; ++j) {
        y.at(row, j) = values_[layer.bias + static_cast<std::size_t>(j)];
      }
      for (int k = 0; k < layer.in; ++k) {
        const double a = value(l, x.at(row, k));
        for (int j = 0; j < layer.out && a != 0; ++j) y.at(row, j) += a * weight(l, k, j);
      }
      for (int j = 0; j < layer.out && hidden(l); ++j) y.at(row, j) = std::max(0.0, y.at(row, j));
    }
    return y;
  }

  Grid at_inputs(std::size_t l, const Grid& dy, const std::vector<std::int32_t>& rows) const {
    const nn::Linear& layer = net_.layers()[l];
    Grid dx(dy.rows, layer.in);
    for (int i = 0; i < dy.rows; ++i) {
      for (int k = 0; k < layer.in; ++k) {
        const bool passes = l == 0 || made_[l].at(rows[static_cast<std::size_t>(i)], k) > 0;
        for (int j = 0; j < layer.out && passes; ++j) {
          dx.at(i, k) += slope(l, dy.at(i, j)) * weight(l, k, j);
        }
      }
    }
    return dx;
  }

  void add_gradients(std::size_t l, const Grid& dy, const std::vector<std::int32_t>& rows,
                     std::vector<double>& grads) const {
    const nn::Linear& layer = net_.layers()[l];
    for (int i = 0; i < dy.rows; ++i) {
      for (int j = 0; j < layer.out; ++j) {
        grads[layer.bias + static_cast<std::size_t>(j)] += dy.at(i, j);
        const double slope_j = slope(l, dy.at(i, j));
        for (int k = 0; k < layer.in && slope_j != 0; ++k) {
          const double x = made_[l].at(rows[static_cast<std::size_t>(i)], k);
          grads[weight_at(layer, k, j)] += value(l, x) * slope_j;
        }
      }
    }
  }

  const nn::Mlp& net_;
  const std::vector<double>& values_;
  Rounding rounding_;
  std::vector<Grid> made_;  // the input, then each layer's outputs
};

// What an update begins with.
struct ReferenceInput {
  actor_critic::Networks numbers;
  std::vector<std::vector<float>> rows;         // of the replay, [candidates]
  std::vector<float> next_noise, policy_noise;  // [candidates][actions]
  float alpha = 0;
  double rate = 0;  // of learning
};

struct ReferenceGroup {
  std::vector<double> values, target, grads;
};

// What comes out of it.
struct ReferenceUpdate {
  ReferenceGroup actor, critics;
  std::vector<std::int32_t> kept;
  double critic_loss = 0, actor_loss = 0, entropy_gap = 0;
};

ReferenceUpdate reference_update(const actor_critic::AgentPlan& plan, const ReferenceInput& input,
                                 bool halves);

}  // namespace tarl::fleet::test
