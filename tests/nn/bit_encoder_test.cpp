// SPDX-License-Identifier: MIT
#include "tarl/nn/bit_encoder.h"

#include <cmath>

#include "nn/helpers.h"

#include "tarl/core/error.h"

namespace tarl::nn {

namespace {

struct Image {
  int channels, height, width;
};

class BitImageShapes : public testing::TestWithParam<Image> {
 protected:
  static constexpr int kRows = 9;

  void SetUp() override {
    const auto [channels, height, width] = GetParam();
    encoder_ = std::make_unique<BitEncoder>(layout_, "conv", channels, height, width);
    parameters_ = std::make_unique<Parameters>(Parameters::trained(layout_, 0, arena_));
    Rng rng = seeded(5);
    parameters_->initialise(rng);
    bytes_ = static_cast<std::size_t>((channels * height * width + 63) / 64 * 8);
    obs_.resize(bytes_ * kRows);
    for (int row = 0; row < kRows; ++row) {
      for (int bit = 0; bit < channels * height * width; ++bit) {
        if (rng.uniform() < 0.15) set_bit(row, bit);
      }
    }
    // Corners have the fewest taps.
    set_bit(0, 0);
    set_bit(0, channels * height * width - 1);
    maps_ = encoder_->take_rows(kRows, arena_);
    delta_ = arena_.take_rows(kRows, encoder_->features());
    fill_normal(delta_, kRows, encoder_->features(), rng);
  }

  void set_bit(int row, int bit) {
    obs_[static_cast<std::size_t>(row) * bytes_ + static_cast<std::size_t>(bit / 8)] |=
        std::byte(1 << (bit % 8));
  }

  float pixel(int row, int y, int x, int channel) const {
    const auto [channels, height, width] = GetParam();
    const int bit = (y * width + x) * channels + channel;
    const std::byte byte =
        obs_[static_cast<std::size_t>(row) * bytes_ + static_cast<std::size_t>(bit / 8)];
    return (static_cast<int>(byte) >> (bit % 8) & 1) != 0 ? 1.0F : 0.0F;
  }

  float weight(int map, int channel, int y, int x) const {
    return parameters_->values()[layout_.tensors()[0].at(map, (channel * 3 + y) * 3 + x)];
  }

  // The dense definition: one chain over (tap row, tap column, channel), starting from the bias.
  float dense(int row, int y, int x, int map) const {
    float sum = parameters_->values()[layout_.tensors()[1].at(map, 0)];
    for (int ty = 0; ty < 3; ++ty) {
      for (int tx = 0; tx < 3; ++tx) {
        for (int c = 0; c < GetParam().channels; ++c) {
          sum = std::fma(pixel(row, y + ty, x + tx, c), weight(map, c, ty, tx), sum);
        }
      }
    }
    return sum > 0 ? sum : 0.0F;
  }

  ObsRows obs() const { return {obs_.data(), bytes_}; }

  Arena arena_;
  ParameterLayout layout_;
  std::unique_ptr<BitEncoder> encoder_;
  std::unique_ptr<Parameters> parameters_;
  std::size_t bytes_ = 0;
  std::vector<std::byte> obs_;
  std::vector<Rows> maps_;
  Rows delta_;
};

TEST_P(BitImageShapes, ForwardHasTheBitsOfADenseConvolution) {
  const auto [channels, height, width] = GetParam();
  expect_same_bits_everywhere([&] {
    encoder_->forward(parameters_->values(), obs(), {0, 4}, maps_);
    encoder_->forward(parameters_->values(), obs(), {4, kRows}, maps_);
    for (int row = 0; row < kRows; ++row) {
      const float* feature = maps_.back().row(row);
      for (int y = 0; y < height - 2; ++y) {
        for (int x = 0; x < width - 2; ++x) {
          for (int map = 0; map < 16; ++map) EXPECT_EQ(*feature++, dense(row, y, x, map));
        }
      }
    }
    return copied(maps_.back(), kRows, encoder_->features());
  });
}

TEST_P(BitImageShapes, GradientsAreTheDenseSumsForAnyTeamAndInstructionSet) {
  const auto [channels, height, width] = GetParam();
  const std::vector<int> kept{1, 2, 5, 8};
  std::vector<float> first;
  expect_same_bits_everywhere([&] {
    for (const int threads : {1, 2, 3}) {
      Team team(threads);
      team.run([&](int rank) {
        encoder_->backward(parameters_->values(), obs(), maps_, kept, delta_, rank, team,
                           parameters_->grads());
      });
      const std::vector<float> got(parameters_->grads(),
                                   parameters_->grads() + parameters_->size());
      if (first.empty()) first = got;
      EXPECT_EQ(first, got);
    }
    return first;
  });
  const auto slope = [&](std::size_t i, int y, int x, int map) {
    return double{delta_.row(static_cast<int>(i))[(y * (width - 2) + x) * 16 + map]};
  };
  for (int map = 0; map < 16; map += 5) {
    double bias = 0;
    for (std::size_t i = 0; i < kept.size(); ++i) {
      for (int y = 0; y < height - 2; ++y) {
        for (int x = 0; x < width - 2; ++x) bias += slope(i, y, x, map);
      }
    }
    EXPECT_NEAR(parameters_->grads()[layout_.tensors()[1].at(map, 0)], bias, 1e-3);
    for (int tap = 0; tap < 9; ++tap) {
      for (int c = 0; c < channels; ++c) {
        double sum = 0;
        for (std::size_t i = 0; i < kept.size(); ++i) {
          for (int y = 0; y < height - 2; ++y) {
            for (int x = 0; x < width - 2; ++x) {
              sum += slope(i, y, x, map) * double{pixel(kept[i], y + tap / 3, x + tap % 3, c)};
            }
          }
        }
        const std::size_t at = layout_.tensors()[0].at(map, c * 9 + tap);
        EXPECT_NEAR(parameters_->grads()[at], sum, 1e-3);
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Shapes, BitImageShapes,
                         testing::Values(Image{4, 10, 10}, Image{10, 10, 10}, Image{7, 10, 10},
                                         Image{1, 3, 3}, Image{3, 5, 8}, Image{2, 32, 17}));

TEST(BitEncoder, RefusesImagesItCannotTile) {
  ParameterLayout layout;
  EXPECT_THROW(BitEncoder(layout, "conv", 1, 2, 10), UsageError);
  EXPECT_THROW(BitEncoder(layout, "conv", 1, 10, 33), UsageError);
}

}  // namespace

}  // namespace tarl::nn
