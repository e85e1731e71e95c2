// SPDX-License-Identifier: MIT
//
// The products of an agent's updates, with the order of sums of nn/conv2d.h. A row of a
// convolution's inputs or outputs is a pixel with all its channels.
#include <algorithm>

#include "tarl/fleet/pixel_dqn/cuda/arrays.cuh"

namespace tarl::fleet::pixel_dqn {

namespace {

using Table = std::vector<std::int32_t>;

Phase after(Phase first, std::size_t layer) {
  return static_cast<Phase>(static_cast<std::size_t>(first) + layer);
}

int pixels_of(const nn::Conv2d& conv) {
  return conv.height * conv.width;
}

int positions_of(const nn::Conv2d& conv) {
  return conv.out_height() * conv.out_width();
}

template <class Each>
void each_position(int height, int width, Each each) {
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) each(y, x);
  }
}

// The same places in each of `rows` rows, which are `distance` apart.
Table repeated(const Table& places, int rows, int distance) {
  Table all;
  for (int row = 0; row < rows; ++row) {
    for (const std::int32_t place : places) all.push_back(row * distance + place);
  }
  return all;
}

// The first pixel of each window.
Table origins_of(const nn::Conv2d& conv) {
  Table origins;
  each_position(conv.out_height(), conv.out_width(),
                [&](int y, int x) { origins.push_back((y * conv.width + x) * conv.stride); });
  return origins;
}

// The floats of a window, relative to its first.
Table inputs_of(const nn::Conv2d& conv) {
  Table inputs;
  const int across = conv.kernel * conv.channels;
  for (int k = 0; k < conv.weights.in; ++k) {
    inputs.push_back(k / across * conv.width * conv.channels + k % across);
  }
  return inputs;
}

}  // namespace

void Arrays::plan_windows() {
  const int rows = std::max(view_.online_rows, plan_.act_rows);
  for (std::size_t c = 0; c < windows_.size(); ++c) {
    const nn::Conv2d& conv = plan_.convs[c];
    const Table origins = origins_of(conv);
    Table out_pixels;
    each_position(conv.out_height(), conv.out_width(),
                  [&](int y, int x) { out_pixels.push_back(delta_[c].pixel(y, x)); });
    windows_[c] = {.origins = table(repeated(origins, rows, pixels_of(conv))),
                   .inputs = table(inputs_of(conv)),
                   .out_pixels = table(out_pixels),
                   .out_rows = table(repeated(out_pixels, plan_.batch, delta_[c].pixels())),
                   .kept_origins = kept_table(origins, pixels_of(conv))};
  }
}

// From the pixels to the last layer's outputs. `rows` is as in Product.
void Arrays::plan_forward(const NetRows& to, const float* values, const float* x, int rows,
                          Phase first) {
  for (std::size_t c = 0; c < windows_.size(); ++c) {
    const nn::Conv2d& conv = plan_.convs[c];
    Product p = forward_product(conv.weights, values,
                                {c == 0 ? x : to.maps[c - 1], conv.channels, windows_[c].origins},
                                rows * positions_of(conv), true, to.maps[c], conv.maps);
    p.a_depths = windows_[c].inputs;
    p.after = c == 0 ? pixel_factor() : 1.0F;
    of(after(first, c)).push_back(rounded(p, Slopes::kNone));
  }
  const nn::Linear &hidden = plan_.hidden, &head = plan_.head;
  of(after(first, 3))
      .push_back(rounded(forward_product(hidden, values, {to.maps.back(), plan_.features()}, rows,
                                         true, to.hidden, hidden.stride),
                         Slopes::kNone));
  of(after(first, 4))
      .push_back(forward_product(head, values, {to.hidden, hidden.stride}, rows, false, to.out,
                                 outputs_row(plan_)));
}

// The gradients of kept rows from dz down to the features, one position of the last convolution at
// a time.
void Arrays::plan_head() {
  const nn::Linear &hidden = plan_.hidden, &head = plan_.head;
  of(Phase::kBackHidden)
      .push_back(gated(input_gradient(head, view_.values, {view_.dz, view_.z_stride}, plan_.batch,
                                      0, head.in, dhidden_, hidden.stride),
                       {online_.hidden, hidden.stride, view_.kept}));
  const nn::Conv2d& conv = plan_.convs.back();
  const Delta& delta = delta_.back();
  int feature = 0;
  each_position(conv.out_height(), conv.out_width(), [&](int y, int x) {
    const Product p =
        input_gradient(hidden, view_.values, {dhidden_, hidden.stride}, plan_.batch, feature,
                       conv.maps, delta.data + delta.pixel(y, x) * conv.maps, delta.row());
    of(Phase::kBackFeatures)
        .push_back(rounded(gated(p, {online_.maps.back() + feature, plan_.features(), view_.kept}),
                           Slopes::kOfA));
    feature += conv.maps;
  });
}

// The gradient at a convolution's inputs, which are the outputs of the one before it. Inputs whose
// rows and columns have the same remainders modulo the stride use the same weights.
void Arrays::plan_input_gradient(std::size_t conv, Phase phase) {
  each_position(plan_.convs[conv].stride, plan_.convs[conv].stride,
                [&](int y, int x) { of(phase).push_back(parity_class(conv, y, x)); });
}

// Each sum runs over ascending output rows, then descending columns (ascending kernel columns),
// then maps.
Product Arrays::parity_class(std::size_t at, int parity_y, int parity_x) {
  const nn::Conv2d& conv = plan_.convs[at];
  const Delta &from = delta_[at], &to = delta_[at - 1];
  const int stride = conv.stride, taps = conv.kernel / stride;
  Table from_pixels, to_pixels, in_pixels, depths, weights;
  for (int y = parity_y; y < conv.height; y += stride) {
    for (int x = parity_x; x < conv.width; x += stride) {
      from_pixels.push_back(y / stride * from.width + x / stride);
      to_pixels.push_back(to.pixel(y, x));
      in_pixels.push_back(y * conv.width + x);
    }
  }
  each_position(taps, taps, [&](int row, int column) {
    const int kernel_y = parity_y + stride * (taps - 1 - row);
    const int kernel_x = parity_x + stride * column;
    for (int map = 0; map < conv.maps; ++map) {
      depths.push_back((row * from.width + taps - 1 - column) * conv.maps + map);
      weights.push_back((kernel_y * conv.kernel + kernel_x) * conv.channels * conv.weights.stride +
                        map);
    }
  });
  Product p;
  p.a = from.data;
  p.a_row = conv.maps;
  p.a_rows = table(repeated(from_pixels, plan_.batch, from.pixels()));
  p.a_depths = table(depths);
  p.b = view_.values + conv.weights.weight;
  p.b_depth = 1;
  p.b_depths = table(weights);
  p.b_column = conv.weights.stride;
  p.c = to.data;
  p.c_row = conv.channels;
  p.c_rows = table(repeated(to_pixels, plan_.batch, to.pixels()));
  p.rows = plan_.batch * static_cast<int>(in_pixels.size());
  p.columns = conv.channels;
  p.depth = static_cast<int>(depths.size());
  p = gated(p, {online_.maps[at - 1], conv.channels, kept_table(in_pixels, pixels_of(conv))});
  return rounded(p, Slopes::kOfA);
}

// Sums run over rows, then positions. A convolution's biases are first summed over rows.
void Arrays::plan_weights() {
  float* grads = view_.grads;
  std::vector<Product>& weights = of(Phase::kWeights);
  const nn::Linear &hidden = plan_.hidden, &head = plan_.head;
  const LayerGradients of_head =
      layer_gradients(head, {online_.hidden, hidden.stride, view_.kept}, {view_.dz, view_.z_stride},
                      plan_.batch, one_, grads, nullptr);
  const LayerGradients of_hidden =
      layer_gradients(hidden, {online_.maps.back(), plan_.features(), view_.kept},
                      {dhidden_, hidden.stride}, plan_.batch, one_, grads, nullptr);
  weights = {of_head.weights, of_head.biases, rounded(of_hidden.weights, Slopes::kOfB),
             of_hidden.biases};
  for (std::size_t c = 0; c < windows_.size(); ++c) {
    const nn::Conv2d& conv = plan_.convs[c];
    const Delta& delta = delta_[c];
    const Matrix x{c == 0 ? view_.x : online_.maps[c - 1], conv.channels, windows_[c].kept_origins};
    auto [weight, bias] =
        layer_gradients(conv.weights, x, {delta.data, conv.maps, windows_[c].out_rows},
                        plan_.batch * positions_of(conv), one_, grads, nullptr);
    weight.a_rows = windows_[c].inputs;
    weight.after = c == 0 ? pixel_factor() : 1.0F;
    Product sums = bias;
    sums.b_depths = nullptr;
    sums.b_depth = delta.row();
    sums.columns = delta.row();
    sums.depth = plan_.batch;
    sums.c = delta.sums;
    bias.b = delta.sums;
    bias.b_depths = windows_[c].out_pixels;
    bias.depth = positions_of(conv);
    weights.insert(weights.end(), {in_parts(c, rounded(weight, Slopes::kOfB)), sums});
    of(Phase::kBiases).push_back(bias);
  }
}

}  // namespace tarl::fleet::pixel_dqn
