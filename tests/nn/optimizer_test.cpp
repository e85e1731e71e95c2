// SPDX-License-Identifier: MIT
#include "tarl/nn/optimizer.h"

#include <cmath>

#include "nn/helpers.h"

namespace tarl::nn {

namespace {

// Three steps with gradients 1, -0.5, 0.25 from w = 1.
std::vector<float> three_steps(const OptimizerConfig& config, float scale = 1) {
  Arena arena;
  ParameterLayout layout;
  layout.add_vector("w", {1});
  Optimizer optimizer(config);
  Parameters parameters = Parameters::trained(layout, optimizer.states(), arena);
  parameters.values()[0] = 1;
  std::vector<float> path;
  for (const float g : {1.0F, -0.5F, 0.25F}) {
    parameters.grads()[0] = g / scale;
    optimizer.apply(parameters, {0, static_cast<int>(parameters.size())}, scale);
    optimizer.count_step();
    path.push_back(parameters.values()[0]);
  }
  EXPECT_EQ(parameters.values()[1], 0.0F) << "padding moved";
  return path;
}

TEST(Rmsprop, FollowsTheHandComputedPath) {
  OptimizerConfig config;
  config.kind = OptimizerKind::kRmsprop;
  config.learning_rate = 0.1;
  config.alpha = 0.9;
  config.rmsprop_eps = 0.01;
  const std::vector<float> path = three_steps(config);
  // v: 0.1, 0.115, 0.10975
  EXPECT_NEAR(path[0], 1 - 0.1 * 1 / (std::sqrt(0.1) + 0.01), 1e-6);
  EXPECT_NEAR(path[1], path[0] + 0.1 * 0.5 / (std::sqrt(0.115) + 0.01), 1e-6);
  EXPECT_NEAR(path[2], path[1] - 0.1 * 0.25 / (std::sqrt(0.10975) + 0.01), 1e-6);
  const std::vector<float> scaled = three_steps(config, 0.5F);
  EXPECT_EQ(path, scaled) << "clipping multiplies the gradient first";
}

TEST(Rmsprop, CentredSubtractsTheSquaredMean) {
  OptimizerConfig config;
  config.kind = OptimizerKind::kRmsprop;
  config.learning_rate = 0.1;
  config.alpha = 0.9;
  config.rmsprop_eps = 0.01;
  config.centered = true;
  const std::vector<float> path = three_steps(config);
  // u: 0.1, 0.04, 0.061
  EXPECT_NEAR(path[0], 1 - 0.1 / (std::sqrt(0.1 - 0.01) + 0.01), 1e-6);
  EXPECT_NEAR(path[1], path[0] + 0.05 / (std::sqrt(0.115 - 0.0016) + 0.01), 1e-6);
  EXPECT_NEAR(path[2], path[1] - 0.025 / (std::sqrt(0.10975 - 0.003721) + 0.01), 1e-6);
}

TEST(Adam, FollowsTheHandComputedPath) {
  OptimizerConfig config;
  config.learning_rate = 0.1;
  const std::vector<float> path = three_steps(config);
  // m: 0.1, 0.04, 0.061; v: 0.001, 0.001249, 0.001310251
  EXPECT_NEAR(path[0], 0.9, 1e-6);  // the first step is the learning rate itself
  const double second = 0.1 / 0.19 * 0.04 / (std::sqrt(0.001249 / 0.001999) + 1e-8);
  EXPECT_NEAR(path[1], path[0] - second, 1e-6);
  const double third = 0.1 / 0.271 * 0.061 / (std::sqrt(0.001310251 / 0.002997001) + 1e-8);
  EXPECT_NEAR(path[2], path[1] - third, 1e-6);
}

TEST(Optimizers, GiveTheSameBitsOnEveryInstructionSetAndForAnyShares) {
  for (const OptimizerKind kind : {OptimizerKind::kRmsprop, OptimizerKind::kAdam}) {
    for (const int parts : {1, 3}) {
      static std::vector<float> first[2];
      expect_same_bits_everywhere([&] {
        Arena arena;
        ParameterLayout layout;
        layout.add_linear("fc", 37, 21);
        OptimizerConfig config;
        config.kind = kind;
        config.centered = true;
        Optimizer optimizer(config);
        Parameters parameters = Parameters::trained(layout, optimizer.states(), arena);
        Rng rng = seeded(2);
        parameters.initialise(rng);
        for (int step = 0; step < 3; ++step) {
          fill_normal({parameters.grads(), 0}, 1, static_cast<int>(parameters.size()), rng);
          for (int part = 0; part < parts; ++part) {
            const int size = static_cast<int>(parameters.size());
            optimizer.apply(parameters, share(size, part, parts, kLanes), 0.7F);
          }
          optimizer.count_step();
        }
        return std::vector<float>(parameters.values(), parameters.values() + parameters.size());
      });
    }
  }
}

// Shares of large arrays take a different code path than the whole array at once.
TEST(Optimizers, GiveManyValuesTheSameBitsForAnyShares) {
  for (const OptimizerKind kind : {OptimizerKind::kRmsprop, OptimizerKind::kAdam}) {
    expect_same_bits_everywhere([&] {
      std::vector<float> whole;
      for (const int parts : {1, 3}) {
        Arena arena;
        ParameterLayout layout;
        layout.add_linear("fc", 1100, 500);
        OptimizerConfig config;
        config.kind = kind;
        const Optimizer optimizer(config);
        Parameters parameters = Parameters::trained(layout, optimizer.states(), arena);
        const int size = static_cast<int>(parameters.size());
        for (int i = 0; i < size; ++i) parameters.grads()[i] = static_cast<float>(i % 91 - 40);
        for (int part = 0; part < parts; ++part) {
          optimizer.apply(parameters, share(size, part, parts, kLanes), 0.7F);
        }
        const std::vector<float> got(parameters.values(), parameters.values() + size);
        if (whole.empty()) whole = got;
        EXPECT_TRUE(whole == got) << parts << " parts";
      }
      return whole;
    });
  }
}

TEST(Optimizers, LetAveragesOfDeadGradientsReachZero) {
  for (const std::string& set : instruction_sets()) {
    use_instruction_set(set);
    for (const OptimizerKind kind : {OptimizerKind::kRmsprop, OptimizerKind::kAdam}) {
      Arena arena;
      ParameterLayout layout;
      layout.add_vector("w", {1});
      OptimizerConfig config;
      config.kind = kind;
      config.centered = true;
      Optimizer optimizer(config);
      Parameters parameters = Parameters::trained(layout, optimizer.states(), arena);
      for (int state = 0; state < 2; ++state) parameters.state(state)[0] = 1.176e-38F;
      parameters.state(0)[1] = NAN;
      optimizer.apply(parameters, {0, 16}, 1);
      EXPECT_EQ(parameters.state(0)[0], 0.0F) << set;
      EXPECT_EQ(parameters.state(1)[0], 0.0F) << set;
      EXPECT_TRUE(std::isnan(parameters.state(0)[1])) << set;
    }
  }
  use_instruction_set("auto");
}

TEST(GradientNorm, IsTheGlobalEuclideanNormOverAllChunks) {
  Arena arena;
  ParameterLayout layout;
  layout.add_linear("fc", 100, 100);
  Parameters parameters = Parameters::trained(layout, 1, arena);
  double squares = 0;
  Rng rng = seeded(3);
  for (const NamedTensor& tensor : layout.tensors()) {
    for (int o = 0; o < tensor.out; ++o) {
      for (int r = 0; r < tensor.in; ++r) {
        const auto g = static_cast<float>(rng.normal());
        parameters.grads()[tensor.at(o, r)] = g;
        squares += double{g} * double{g};
      }
    }
  }
  std::vector<double> parts(static_cast<std::size_t>(norm_chunks(parameters)));
  EXPECT_GT(parts.size(), 1U);
  square_gradients(parameters, {0, norm_chunks(parameters)}, parts);
  EXPECT_NEAR(norm_of(parts), std::sqrt(squares), 1e-4);
}

TEST(ClipScale, OnlyShrinks) {
  EXPECT_EQ(clip_scale(5, 10), 1.0F);
  EXPECT_FLOAT_EQ(clip_scale(20, 10), static_cast<float>(10 / (20 + 1e-6)));
  EXPECT_EQ(clip_scale(1e9, 0), 1.0F);
}

TEST(MixInto, CopiesAtOneAndAveragesBelow) {
  Arena arena;
  ParameterLayout layout;
  layout.add_vector("w", {3});
  Parameters online = Parameters::frozen(layout, arena), target = Parameters::frozen(layout, arena);
  online.values()[0] = 1;
  target.values()[0] = 3;
  mix_into(target, online, 0.25);
  EXPECT_FLOAT_EQ(target.values()[0], 2.5F);
  online.values()[0] = 0.1F;
  mix_into(target, online, 1);
  EXPECT_EQ(target.values()[0], 0.1F);
}

}  // namespace

}  // namespace tarl::nn
