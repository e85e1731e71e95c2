// SPDX-License-Identifier: MIT
#include "tarl/nn/kernels/kernels.h"

#include <algorithm>
#include <cmath>

#include "nn/helpers.h"

#include "tarl/core/error.h"

namespace tarl::nn {

namespace {

struct Shape {
  int rows, columns, depth;
};

class ProductShapes : public testing::TestWithParam<Shape> {
 protected:
  Arena arena_;
  Rng rng_ = seeded(3);
};

Product product_of(int rows, int columns, int depth, Rows a, Rows b, Rows c) {
  Product p;
  p.rows = rows;
  p.columns = columns;
  p.depth = depth;
  p.a = a.data;
  p.a_row = a.stride;
  p.b = b.data;
  p.b_stride = b.stride;
  p.c = c.data;
  p.c_stride = c.stride;
  return p;
}

// The definition: one chain of fused multiply-adds in ascending order of depth.
std::vector<float> chained(const Product& p) {
  std::vector<float> out;
  for (int i = 0; i < p.rows; ++i) {
    for (int j = 0; j < p.columns; ++j) {
      float sum = p.accumulate ? p.c[i * p.c_stride + j] : p.bias != nullptr ? p.bias[j] : 0.0F;
      for (int k = 0; k < p.depth; ++k) {
        sum = std::fma(p.a[i * p.a_row + k * p.a_depth], p.b[k * p.b_stride + j], sum);
      }
      if (p.finish == Finish::kRelu && sum < 0) sum = 0;
      if (p.finish == Finish::kGate && p.gate[i * p.gate_stride + j] <= 0) sum = 0;
      out.push_back(sum);
    }
  }
  return out;
}

TEST_P(ProductShapes, AreOneChainInEveryFormAndInstructionSet) {
  const int rows = GetParam().rows, columns = GetParam().columns, depth = GetParam().depth;
  const Rows a = arena_.take_rows(rows, depth), at = arena_.take_rows(depth, rows);
  const Rows b = arena_.take_rows(depth, columns), bias = arena_.take_rows(1, columns);
  const Rows gate = arena_.take_rows(rows, columns), c = arena_.take_rows(rows, columns);
  fill_normal(a, rows, depth, rng_);
  for (int i = 0; i < rows; ++i) {
    for (int k = 0; k < depth; ++k) at.row(k)[i] = a.row(i)[k];
  }
  fill_normal(b, depth, columns, rng_);
  fill_normal(bias, 1, columns, rng_);
  fill_normal(gate, rows, columns, rng_);
  for (const Finish finish : {Finish::kStore, Finish::kRelu, Finish::kGate}) {
    for (int form = 0; form < 8; ++form) {
      const bool transposed = (form & 1) != 0;
      Product p = product_of(rows, columns, depth, a, b, c);
      if (transposed) {
        p.a = at.data;
        p.a_row = 1;
        p.a_depth = at.stride;
      }
      p.bias = (form & 2) != 0 ? bias.data : nullptr;
      p.columns_outer = (form & 4) != 0;
      p.finish = finish;
      p.gate = gate.data;
      p.gate_stride = gate.stride;
      const std::vector<float> expected = chained(p);
      expect_same_bits_everywhere([&] {
        kernels().product(p);
        const std::vector<float> got = copied(c, rows, columns);
        EXPECT_EQ(got, expected);
        return got;
      });
    }
  }
}

TEST_P(ProductShapes, AccumulateGoesOnWhereTheFirstHalfStopped) {
  const auto [rows, columns, depth] = GetParam();
  const Rows a = arena_.take_rows(rows, depth), b = arena_.take_rows(depth, columns);
  const Rows whole = arena_.take_rows(rows, columns), halves = arena_.take_rows(rows, columns);
  fill_normal(a, rows, depth, rng_);
  fill_normal(b, depth, columns, rng_);
  Product p = product_of(rows, columns, depth, a, b, whole);
  kernels().product(p);
  p.c = halves.data;
  p.depth = depth / 2;
  kernels().product(p);
  p.a += depth / 2;
  p.b += static_cast<long>(depth / 2) * b.stride;
  p.depth = depth - depth / 2;
  p.accumulate = true;
  kernels().product(p);
  EXPECT_EQ(copied(whole, rows, columns), copied(halves, rows, columns));
}

TEST_P(ProductShapes, SkippingZerosChangesNoBit) {
  const auto [rows, columns, depth] = GetParam();
  const Rows a = arena_.take_rows(rows, depth), b = arena_.take_rows(depth, columns);
  const Rows bias = arena_.take_rows(1, columns), c = arena_.take_rows(rows, columns);
  fill_normal(a, rows, padded(depth), rng_);  // values beyond the depth must have no effect
  for (int k = 0; k < depth; ++k) {
    for (int i = 0; i < rows; ++i) {
      if (k % 4 == 1 || (i + k) % 3 == 0) a.row(i)[k] = k % 2 == 0 ? 0.0F : -0.0F;
    }
  }
  fill_normal(b, depth, columns, rng_);
  fill_normal(bias, 1, columns, rng_);
  Product p = product_of(rows, columns, depth, a, b, c);
  p.bias = bias.data;
  p.finish = Finish::kRelu;
  const std::vector<float> expected = chained(p);
  for (const std::string& set : instruction_sets()) {
    use_instruction_set(set);
    p.skip_zeros = true;
    p.rows = rows;
    for (const bool alike : {true, false}) {
      p.rows_alike = alike;
      kernels().product(p);
      EXPECT_EQ(copied(c, rows, columns), expected) << set;
    }
    // A row computed alone equals the same row among many.
    p.rows = 1;
    for (int i = 0; i < rows; ++i) {
      Product one = p;
      one.a = a.row(i);
      kernels().product(one);
      const auto begin = expected.begin() + static_cast<long>(i) * columns;
      EXPECT_EQ(copied(c, 1, columns), std::vector<float>(begin, begin + columns)) << set;
    }
  }
  use_instruction_set("auto");
}

// Windows of an image: each row starts a little further on and continues in the next line.
TEST_P(ProductShapes, SkippingZerosOfWindowsChangesNoBit) {
  const auto [rows, columns, depth] = GetParam();
  constexpr int kSpans = 3;
  const int step = kLanes, line = rows * step + padded(depth);
  const Rows image = arena_.take_rows(kSpans, line), c = arena_.take_rows(rows, columns);
  const Rows b = arena_.take_rows(kSpans * depth, columns);
  fill_normal(image, kSpans, line, rng_);
  for (int y = 0; y < kSpans; ++y) {
    for (int x = 0; x < line; ++x) {
      if (x % step % 3 != y) image.row(y)[x] = 0;  // whole maps, and more
      if (x / step % 4 == 2) image.row(y)[x] = 0;
    }
  }
  fill_normal(b, kSpans * depth, columns, rng_);
  Product p = product_of(rows, columns, depth, image, b, c);
  p.a_row = step;
  p.spans = kSpans;
  p.a_span = image.stride;
  kernels().product(p);
  const std::vector<float> expected = copied(c, rows, columns);
  p.skip_zeros = true;
  for (const std::string& set : instruction_sets()) {
    use_instruction_set(set);
    for (const bool alike : {true, false}) {
      p.rows_alike = alike;
      kernels().product(p);
      EXPECT_EQ(copied(c, rows, columns), expected) << set;
    }
  }
  use_instruction_set("auto");
}

// Each tap adds to the previous taps' results where they overlap.
TEST_P(ProductShapes, TapsAreProductsOneAfterAnother) {
  const auto [rows, columns, depth] = GetParam();
  constexpr int kTaps = 3;
  const Rows a = arena_.take_rows(rows, depth), b = arena_.take_rows(kTaps * depth, columns);
  const Rows c = arena_.take_rows(rows + kTaps, columns);
  fill_normal(a, rows, padded(depth), rng_);
  for (int k = 0; k < depth; ++k) {
    for (int i = 0; i < rows; ++i) a.row(i)[k] = k % 3 == 1 || (i + k) % 4 == 0 ? 0 : a.row(i)[k];
  }
  fill_normal(b, kTaps * depth, columns, rng_);
  const long c_taps[kTaps] = {c.stride, 0, 2L * c.stride};
  Product p = product_of(rows, columns, depth, a, b, c);
  p.accumulate = true;
  p.rows_alike = true;
  const auto begin = [&] { std::fill_n(c.data, (rows + kTaps) * c.stride, 0.5F); };
  begin();
  for (int tap = 0; tap < kTaps; ++tap) {
    Product one = p;
    one.b += static_cast<long>(tap) * depth * b.stride;
    one.c += c_taps[tap];
    kernels().product(one);
  }
  const std::vector<float> expected = copied(c, rows + kTaps, columns);
  p.taps = kTaps;
  p.b_tap = static_cast<long>(depth) * b.stride;
  p.c_taps = c_taps;
  for (const bool skipping : {false, true}) {
    p.skip_zeros = skipping;
    expect_same_bits_everywhere([&] {
      begin();
      kernels().product(p);
      const std::vector<float> got = copied(c, rows + kTaps, columns);
      EXPECT_EQ(got, expected);
      return got;
    });
  }
}

INSTANTIATE_TEST_SUITE_P(Shapes, ProductShapes,
                         testing::Values(Shape{1, 16, 1}, Shape{3, 32, 5}, Shape{8, 48, 33},
                                         Shape{13, 144, 20}, Shape{32, 128, 64}, Shape{23, 272, 17},
                                         Shape{14, 64, 9}, Shape{59, 48, 12}));

TEST(Kernels, TransposeMovesEveryElementAndGates) {
  Arena arena;
  Rng rng = seeded(4);
  const Rows src = arena.take_rows(37, 50), dst = arena.take_rows(50, 37);
  const Rows gate = arena.take_rows(50, 37);
  fill_normal(src, 48, 64, rng);
  fill_normal(gate, 64, 48, rng);
  expect_same_bits_everywhere([&] {
    Transpose t{37, 50, src.data, src.stride, dst.data, dst.stride};
    kernels().transpose(t);
    for (int r = 0; r < 37; ++r) {
      for (int c = 0; c < 50; ++c) EXPECT_EQ(dst.row(c)[r], src.row(r)[c]);
    }
    t.gate = gate.data;
    t.gate_stride = gate.stride;
    kernels().transpose(t);
    for (int r = 0; r < 37; ++r) {
      for (int c = 0; c < 50; ++c) {
        EXPECT_EQ(dst.row(c)[r], gate.row(c)[r] > 0 ? src.row(r)[c] : 0.0F);
      }
    }
    return copied(dst, 50, 37);
  });
}

TEST(Kernels, SumsHaveOneOrderOnEveryInstructionSet) {
  Arena arena;
  Rng rng = seeded(5);
  const Rows x = arena.take_rows(19, 208), dy = arena.take_rows(19, 1);
  const Rows w = arena.take_rows(1, 208), out = arena.take_rows(19, 208);
  fill_normal(x, 19, 208, rng);
  fill_normal(dy, 19, 1, rng);
  fill_normal(w, 1, 208, rng);
  expect_same_bits_everywhere([&] {
    std::vector<float> got;
    const Kernels& use = kernels();
    use.column_sums(x.data, x.stride, 19, 208, out.data);
    for (int j = 0; j < 208; ++j) {
      float sum = 0;
      for (int i = 0; i < 19; ++i) sum += x.row(i)[j];
      EXPECT_EQ(sum, out.data[j]);
    }
    const std::vector<float> sums = copied(out, 1, 208);
    got.insert(got.end(), sums.begin(), sums.end());
    use.weighted_sums(dy.data, dy.stride, x.data, x.stride, 19, 208, out.data);
    const std::vector<float> weighted = copied(out, 1, 208);
    got.insert(got.end(), weighted.begin(), weighted.end());
    use.row_dots(x.data, x.stride, 19, 203, w.data, 0.5F, out.data, 1);
    for (int i = 0; i < 19; ++i) {
      double sum = 0.5;
      for (int k = 0; k < 203; ++k) sum += double{x.row(i)[k]} * double{w.data[k]};
      EXPECT_NEAR(sum, out.data[i], 1e-4);
      got.push_back(out.data[i]);
    }
    use.outer_rows({19, 208, dy.data, dy.stride, w.data, out.data, out.stride, x.data, x.stride});
    const std::vector<float> outer = copied(out, 19, 208);
    EXPECT_EQ(outer[5], x.data[5] > 0 ? dy.data[0] * w.data[5] : 0.0F);
    got.insert(got.end(), outer.begin(), outer.end());
    got.push_back(use.sum_squares(x.data, 208));
    got.push_back(use.sum_squares(x.data, 16));
    return got;
  });
}

TEST(Kernels, SumOfSquaresIsTheSum) {
  const std::vector<float> x(112, 2.0F);
  EXPECT_EQ(kernels().sum_squares(x.data(), x.size()), 448.0F);
}

TEST(Kernels, NotANumberPassesThroughAReluAndIsNotSkipped) {
  Arena arena;
  const Rows x = arena.take_rows(1, 16), w = arena.take_rows(16, 16), y = arena.take_rows(1, 16);
  x.data[3] = NAN;
  for (const std::string& set : instruction_sets()) {
    use_instruction_set(set);
    Product p = product_of(1, 16, 16, x, w, y);
    p.finish = Finish::kRelu;
    p.skip_zeros = true;
    kernels().product(p);
    EXPECT_TRUE(std::isnan(y.data[0])) << set;
  }
  use_instruction_set("auto");
}

TEST(InstructionSet, BothTilesOfAvx512AreThereAndItsNameIsTheFasterOnes) {
  const std::vector<std::string> sets = instruction_sets();
  const bool wide = sets.front().starts_with("avx512");
  EXPECT_EQ(std::count(sets.begin(), sets.end(), "avx512-high"), wide);
  EXPECT_EQ(std::count(sets.begin(), sets.end(), "avx512-low"), wide);
  if (!wide) GTEST_SKIP() << "no AVX-512 here";
  use_instruction_set("avx512-low");
  EXPECT_STREQ(kernels().name, "avx512-low");
  use_instruction_set("avx512");
  EXPECT_EQ(kernels().name, sets.front());
  use_instruction_set("auto");
  EXPECT_EQ(kernels().name, sets.front());
}

TEST(InstructionSet, UnknownNamesSayWhatIsThere) {
  EXPECT_THROW(use_instruction_set("avx51"), UsageError);
  EXPECT_EQ(instruction_sets().back(), "plain");
  EXPECT_GT(measure_peak_gflops(0.01), 0.1);
}

}  // namespace

}  // namespace tarl::nn
