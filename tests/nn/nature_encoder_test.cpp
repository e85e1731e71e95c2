// SPDX-License-Identifier: MIT
#include "tarl/nn/nature_encoder.h"

#include <cmath>
#include <memory>

#include "nn/helpers.h"

#include "tarl/core/error.h"

namespace tarl::nn {

namespace {

// Images in PyTorch's order, [channels][height][width], in double precision.
struct Image {
  Image(int c, int h, int w)
      : channels(c), height(h), width(w), at(static_cast<std::size_t>(c * h * w)) {}

  double& operator()(int c, int y, int x) {
    return at[static_cast<std::size_t>((c * height + y) * width + x)];
  }

  int channels, height, width;
  std::vector<double> at;
};

// A convolution by its definition.
struct Definition {
  int kernel, stride;
  const NamedTensor *weight, *bias;

  int inputs(int channels) const { return channels * kernel * kernel; }

  template <class Visit>
  void each_tap(Image& in, Image& out, Visit visit) const {
    for (int o = 0; o < out.channels; ++o) {
      for (int y = 0; y < out.height; ++y) {
        for (int x = 0; x < out.width; ++x) {
          for (int r = 0; r < inputs(in.channels); ++r) {
            const int c = r / (kernel * kernel), ky = r / kernel % kernel, kx = r % kernel;
            visit(out(o, y, x), in(c, y * stride + ky, x * stride + kx), weight->at(o, r));
          }
        }
      }
    }
  }

  Image forward(Image& in, const float* values) const {
    Image out(bias->out, (in.height - kernel) / stride + 1, (in.width - kernel) / stride + 1);
    each_tap(in, out, [&](double& y, double x, std::size_t w) { y += x * double{values[w]}; });
    for (int o = 0; o < out.channels; ++o) {
      for (int y = 0; y < out.height; ++y) {
        for (int x = 0; x < out.width; ++x) {
          out(o, y, x) = std::max(0.0, out(o, y, x) + double{values[bias->at(o, 0)]});
        }
      }
    }
    return out;
  }

  // Adds to the gradients; returns the input gradient, masked where the input is not positive.
  Image backward(Image& in, Image& dy, const float* values, std::vector<double>& grads) const {
    Image dx(in.channels, in.height, in.width);
    each_tap(in, dy, [&](double d, double x, std::size_t w) { grads[w] += d * x; });
    each_tap(dx, dy, [&](double d, double& x, std::size_t w) { x += d * double{values[w]}; });
    for (std::size_t i = 0; i < dx.at.size(); ++i) dx.at[i] = in.at[i] > 0 ? dx.at[i] : 0;
    for (int o = 0; o < dy.channels; ++o) {
      for (int y = 0; y < dy.height; ++y) {
        for (int x = 0; x < dy.width; ++x) grads[bias->at(o, 0)] += dy(o, y, x);
      }
    }
    return dx;
  }
};

struct Shape {
  int channels, height, width;
};

class NatureImages : public testing::TestWithParam<Shape> {
 protected:
  static constexpr int kRows = 5;

  void SetUp() override {
    const auto [channels, height, width] = GetParam();
    encoder_ = std::make_unique<NatureEncoder>(layout_, channels, height, width);
    parameters_ = std::make_unique<Parameters>(Parameters::trained(layout_, 0, arena_));
    Rng rng = seeded(6);
    parameters_->initialise(rng);
    bytes_ = static_cast<std::size_t>(channels * height * width);
    obs_.resize(bytes_ * kRows);
    for (std::byte& byte : obs_) byte = static_cast<std::byte>(rng.below(256));
    // Every other image has a black background, which the convolutions skip.
    for (std::size_t i = 0; i < obs_.size(); ++i) {
      if (i / bytes_ % 2 == 1 && i / 7 % 12 != 0) obs_[i] = std::byte{0};
    }
    maps_ = encoder_->take_rows(kRows, arena_);
    delta_ = arena_.take_rows(kRows, encoder_->delta_width());
    fill_normal(delta_, kRows, encoder_->features(), rng);
    const auto& tensors = layout_.tensors();
    ASSERT_EQ(tensors.size(), 6U);
    definitions_ = {{8, 4, &tensors[0], &tensors[1]},
                    {4, 2, &tensors[2], &tensors[3]},
                    {3, 1, &tensors[4], &tensors[5]}};
  }

  // The input and the outputs of the three convolutions.
  std::vector<Image> by_definition(int row) const {
    const auto [channels, height, width] = GetParam();
    std::vector<Image> images{Image(channels, height, width)};
    for (std::size_t i = 0; i < bytes_; ++i) {
      const std::byte byte = obs_[static_cast<std::size_t>(row) * bytes_ + i];
      images[0].at[i] = std::to_integer<int>(byte) / 255.0;
    }
    for (const Definition& conv : definitions_) {
      images.push_back(conv.forward(images.back(), parameters_->values()));
    }
    return images;
  }

  void forward() {
    encoder_->forward(parameters_->values(), {obs_.data(), bytes_}, {0, 2}, maps_);
    encoder_->forward(parameters_->values(), {obs_.data(), bytes_}, {2, kRows}, maps_);
  }

  std::vector<float> gradients(const std::vector<int>& kept, int threads) {
    Team team(threads);
    team.run([&](int rank) {
      encoder_->backward(parameters_->values(), {obs_.data(), bytes_}, maps_, kept, delta_, rank,
                         team, parameters_->grads());
    });
    return {parameters_->grads(), parameters_->grads() + layout_.size()};
  }

  Arena arena_;
  ParameterLayout layout_;
  std::unique_ptr<NatureEncoder> encoder_;
  std::unique_ptr<Parameters> parameters_;
  std::size_t bytes_ = 0;
  std::vector<std::byte> obs_;
  std::vector<Rows> maps_;
  Rows delta_;
  std::vector<Definition> definitions_;
};

TEST_P(NatureImages, ForwardIsThreeConvolutions) {
  expect_same_bits_everywhere([&] {
    forward();
    return copied(maps_.back(), kRows, encoder_->features());
  });
  const std::vector<int> order = encoder_->feature_order();
  for (int row = 0; row < kRows; ++row) {
    const std::vector<double> expected = by_definition(row).back().at;
    ASSERT_EQ(expected.size(), static_cast<std::size_t>(encoder_->features()));
    for (std::size_t i = 0; i < expected.size(); ++i) {
      ASSERT_NEAR(maps_.back().row(row)[order[i]], expected[i], 1e-5) << "feature " << i;
    }
  }
}

TEST_P(NatureImages, GradientsAreThoseOfTheDefinition) {
  forward();
  const std::vector<int> kept{0, 1, 3};
  // The caller masks the gradient where features are zero.
  for (std::size_t i = 0; i < kept.size(); ++i) {
    for (int k = 0; k < encoder_->features(); ++k) {
      if (maps_.back().row(kept[i])[k] <= 0) delta_.row(static_cast<int>(i))[k] = 0;
    }
  }
  std::vector<double> expected(layout_.size());
  const std::vector<int> order = encoder_->feature_order();
  for (std::size_t i = 0; i < kept.size(); ++i) {
    std::vector<Image> images = by_definition(kept[i]);
    Image dy = images.back();
    for (std::size_t k = 0; k < dy.at.size(); ++k) {
      dy.at[k] = double{delta_.row(static_cast<int>(i))[order[k]]};
    }
    for (std::size_t c = 3; c-- > 0;) {
      dy = definitions_[c].backward(images[c], dy, parameters_->values(), expected);
    }
  }
  const std::vector<float> got = gradients(kept, 1);
  for (const NamedTensor& tensor : layout_.tensors()) {
    double largest = 0;
    for (int o = 0; o < tensor.out; ++o) {
      for (int r = 0; r < tensor.in; ++r) {
        largest = std::max(largest, std::fabs(expected[tensor.at(o, r)]));
      }
    }
    for (int o = 0; o < tensor.out; ++o) {
      for (int r = 0; r < tensor.in; ++r) {
        ASSERT_NEAR(double{got[tensor.at(o, r)]}, expected[tensor.at(o, r)], 2e-5 * largest)
            << tensor.name << " " << o << " " << r;
      }
    }
  }
}

TEST_P(NatureImages, GradientsHaveTheSameBitsForAnyTeamAndInstructionSet) {
  const std::vector<int> kept{0, 2, 3, 4};
  std::vector<float> first;
  expect_same_bits_everywhere([&] {
    forward();
    for (const int threads : {1, 2, 3}) {
      const std::vector<float> got = gradients(kept, threads);
      if (first.empty()) first = got;
      EXPECT_EQ(got, first) << threads << " threads";
    }
    return first;
  });
}

INSTANTIATE_TEST_SUITE_P(Sizes, NatureImages,
                         testing::Values(Shape{4, 84, 84}, Shape{1, 36, 36}, Shape{3, 47, 62}));

TEST(NatureEncoder, CountsItsWork) {
  ParameterLayout layout;
  const NatureEncoder encoder(layout, 4, 84, 84);
  EXPECT_EQ(encoder.features(), 3136);
  const double first = 400.0 * 32 * 256, second = 81.0 * 64 * 512, third = 49.0 * 64 * 576;
  EXPECT_EQ(encoder.forward_work(), first + second + third);
  EXPECT_EQ(encoder.backward_work(), first + 2 * second + 2 * third);
}

TEST(NatureEncoder, RefusesImagesThatAreTooSmall) {
  ParameterLayout layout;
  EXPECT_THROW(NatureEncoder(layout, 4, 35, 84), UsageError);
}

}  // namespace

}  // namespace tarl::nn
