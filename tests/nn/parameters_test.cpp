// SPDX-License-Identifier: MIT
#include "tarl/nn/parameters.h"

#include <cmath>
#include <set>

#include "nn/helpers.h"

#include "tarl/core/error.h"

namespace tarl::nn {

namespace {

ParameterLayout mixed_layout() {
  ParameterLayout layout;
  layout.add_conv("conv", 3, 5, 2, 2);
  layout.add_linear("fc", 12, 256, flattened_image_order(3, 2, 2));
  layout.add_heads({{"advantage", 4}, {"value", 1}}, 256);
  layout.add_linear("one", 7, 1);
  layout.add_vector("log_alpha", {1});
  return layout;
}

TEST(ParameterLayout, GivesEveryElementAPlaceOfItsOwn) {
  const ParameterLayout layout = mixed_layout();
  std::set<std::size_t> places;
  std::size_t count = 0;
  for (const NamedTensor& tensor : layout.tensors()) {
    for (int o = 0; o < tensor.out; ++o) {
      for (int r = 0; r < tensor.in; ++r, ++count) places.insert(tensor.at(o, r));
    }
  }
  EXPECT_EQ(places.size(), count);
  EXPECT_LT(*places.rbegin(), layout.size());
  EXPECT_EQ(count, 60U + 5 + 3072 + 256 + 1024 + 4 + 256 + 1 + 7 + 1 + 1);
}

TEST(ParameterLayout, OrdersInputsAsOurImagesAre) {
  ParameterLayout layout;
  const Linear conv = layout.add_conv("conv", 3, 5, 2, 2);
  const NamedTensor& weight = layout.tensors()[0];
  EXPECT_EQ(weight.shape, (std::vector<std::int64_t>{5, 3, 2, 2}));
  // Channel 1, kernel row 1, kernel column 0: PyTorch's flat input 6, our row (1*2+0)*3+1.
  EXPECT_EQ(weight.at(2, 6), conv.weight + static_cast<std::size_t>(7 * conv.stride + 2));
  EXPECT_EQ(weight.fan_in, 12);
}

TEST(Parameters, ComeBackFromPyTorchsLayoutToTheBit) {
  Arena arena;
  const ParameterLayout layout = mixed_layout();
  Parameters a = Parameters::trained(layout, 1, arena);
  Parameters b = Parameters::frozen(layout, arena);
  Rng rng = seeded(8);
  a.initialise(rng);
  Tensors tensors;
  export_tensors(layout, a.values(), "q.", tensors);
  EXPECT_EQ(tensors.size(), 11U);
  EXPECT_EQ(tensors.at("q.value.weight").shape, (std::vector<std::int64_t>{1, 256}));
  import_tensors(layout, StateReader(tensors, "memory"), "q.", b.values());
  for (std::size_t i = 0; i < layout.size(); ++i) ASSERT_EQ(a.values()[i], b.values()[i]);
  tensors.erase("q.fc.bias");
  EXPECT_THROW(import_tensors(layout, StateReader(tensors, "memory"), "q.", b.values()), Error);
}

TEST(Parameters, StartUniformWithinOneOverRootFanInInPyTorchsOrder) {
  Arena arena;
  Parameters parameters = Parameters::trained(mixed_layout(), 1, arena);
  Rng rng = seeded(9), again = seeded(9);
  parameters.initialise(rng);
  double largest = 0;
  for (const NamedTensor& tensor : parameters.layout().tensors()) {
    if (tensor.name == "log_alpha") {
      EXPECT_EQ(parameters.values()[tensor.offset], 0.0F);
      continue;
    }
    const double bound = 1.0 / std::sqrt(static_cast<double>(tensor.fan_in));
    for (int o = 0; o < tensor.out; ++o) {
      for (int r = 0; r < tensor.in; ++r) {
        const float value = parameters.values()[tensor.at(o, r)];
        ASSERT_EQ(value, static_cast<float>((2.0 * again.uniform() - 1.0) * bound));
        largest = std::max(largest, std::fabs(double{value}) / bound);
      }
    }
  }
  EXPECT_LE(largest, 1.0);
  EXPECT_GT(largest, 0.99);
  EXPECT_EQ(rng.counter, again.counter);
}

}  // namespace

}  // namespace tarl::nn
