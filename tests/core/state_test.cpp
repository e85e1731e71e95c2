// SPDX-License-Identifier: MIT
#include "tarl/core/state.h"

#include "support/errors.h"
#include <gtest/gtest.h>

namespace tarl {

namespace {

using test::error_of;

struct Plain {
  std::int32_t a = 0;
  double b = 0;
  bool operator==(const Plain&) const = default;
};

TEST(State, ReadsBackWhatWasWritten) {
  Tensors tensors;
  StateWriter out(tensors);
  StateWriter group = out.group("agent").group("q");
  group.put("weights", std::vector<float>{1.5F, -2.0F});
  group.put("count", std::int64_t{42});
  group.put("flag", true);
  group.put("plain", Plain{3, 0.25});
  group.put("text", std::string("hello"));
  group.put("empty", std::vector<double>{});

  const StateReader in = StateReader(tensors, "file").group("agent").group("q");
  std::vector<float> weights(2);
  in.get("weights", weights);
  EXPECT_EQ(weights, (std::vector<float>{1.5F, -2.0F}));
  std::int64_t count = 0;
  in.get("count", count);
  EXPECT_EQ(count, 42);
  bool flag = false;
  in.get("flag", flag);
  EXPECT_TRUE(flag);
  Plain plain;
  in.get("plain", plain);
  EXPECT_EQ(plain, (Plain{3, 0.25}));
  std::string text;
  in.get("text", text);
  EXPECT_EQ(text, "hello");
  EXPECT_TRUE(in.get_vector<double>("empty").empty());
  EXPECT_TRUE(in.has("count"));
  EXPECT_FALSE(in.has("agent/q/count"));
}

// A span is itself plain data: stored as such it would be an address.
TEST(State, ASpanOfMutableValuesStoresTheValues) {
  std::vector<float> values = {1, 2, 3};
  Tensors tensors;
  StateWriter(tensors).put("values", std::span<float>(values));
  EXPECT_EQ(tensors.at("values").dtype, Dtype::kF32);
  EXPECT_EQ(StateReader(tensors, "file").get_vector<float>("values"), values);
}

TEST(State, SaysWhatIsMissingOrDifferent) {
  Tensors tensors;
  StateWriter(tensors).group("a").put("numbers", std::vector<float>{1, 2});
  const StateReader in = StateReader(tensors, "state.safetensors").group("a");
  std::vector<float> three(3);
  std::int64_t number = 0;
  EXPECT_EQ(error_of([&] { in.get("absent", number); }),
            "state.safetensors: field 'a/absent' is missing");
  EXPECT_EQ(error_of([&] { in.get("numbers", number); }),
            "state.safetensors: field 'a/numbers' holds F32, expected I64");
  EXPECT_EQ(error_of([&] { in.get("numbers", three); }),
            "state.safetensors: field 'a/numbers' has 8 bytes, expected 12");
}

TEST(Dtype, NamesAndSizesAgree) {
  for (const char* name : {"F64", "F32", "I64", "I32", "U64", "U32", "U16", "U8"}) {
    EXPECT_STREQ(dtype_name(dtype_from_name(name)), name);
    EXPECT_EQ(dtype_size(dtype_from_name(name)) * 8,
              static_cast<std::size_t>(std::stoi(std::string(name).substr(1))));
  }
  EXPECT_THROW(dtype_from_name("BF16"), Error);
}

}  // namespace

}  // namespace tarl
