// SPDX-License-Identifier: MIT
#include "tarl/nn/mlp.h"

#include <cmath>

#include "nn/helpers.h"

namespace tarl::nn {

namespace {

// A network, a batch and everything that backward() needs; the loss is sum(output * slope).
struct Bench {
  Bench(int in, const std::vector<int>& hidden, int out, int rows) : n(rows) {
    mlp = Mlp(layout, "", in, hidden, {{"out", out}});
    parameters = std::make_unique<Parameters>(Parameters::trained(layout, 0, arena));
    Rng rng = seeded(1);
    parameters->initialise(rng);
    x = arena.take_rows(rows, in);
    fill_normal(x, rows, in, rng);
    slope = arena.take_rows(rows, out);
    fill_normal(slope, rows, out, rng);
    rows_of = mlp.take_rows(rows, arena);
    work = mlp.take_work(rows, true, arena);
    dx = arena.take_rows(rows, in);
  }

  double loss() {
    mlp.forward(parameters->values(), x, {0, n}, rows_of);
    double sum = 0;
    for (int i = 0; i < n; ++i) {
      for (int j = 0; j < mlp.out(); ++j) {
        sum += double{rows_of.output().row(i)[j]} * double{slope.row(i)[j]};
      }
    }
    return sum;
  }

  void backward(int threads) {
    Team team(threads);
    team.run([&](int rank) {
      mlp.refresh(parameters->values(), rank, threads, work);
      mlp.forward(parameters->values(), x, share(n, rank, threads, 8), rows_of);
      team.barrier();
      const Range rows = share(n, rank, threads, kLanes);
      for (int i = rows.begin; i < rows.end; ++i) {
        for (int j = 0; j < mlp.out(); ++j) work.output().row(i)[j] = slope.row(i)[j];
      }
      mlp.backward(*parameters, x, rows_of, work, n, {dx, {}}, rank, team);
    });
  }

  std::vector<float> gradients() const {
    std::vector<float> all(parameters->grads(), parameters->grads() + parameters->size());
    const std::vector<float> inputs = copied(dx, n, mlp.in());
    all.insert(all.end(), inputs.begin(), inputs.end());
    return all;
  }

  Arena arena;
  ParameterLayout layout;
  Mlp mlp;
  std::unique_ptr<Parameters> parameters;
  int n;
  Rows x, slope, dx;
  MlpRows rows_of;
  MlpWork work;
};

// Compares (f(v + h) - f(v - h)) / 2h with the gradient at a few elements. Near the kink of a ReLU
// a few may disagree, but never many.
void expect_slopes(Bench& bench, float* values, const std::vector<std::size_t>& at,
                   const std::function<double(std::size_t)>& gradient) {
  int wrong = 0;
  for (const std::size_t i : at) {
    const float kept = values[i];
    const double h = 3e-4;
    values[i] = kept + static_cast<float>(h);
    const double above = bench.loss();
    values[i] = kept - static_cast<float>(h);
    const double below = bench.loss();
    values[i] = kept;
    const double expected = (above - below) / (2 * h);
    wrong += std::fabs(gradient(i) - expected) > 2e-2 * (1 + std::fabs(expected)) ? 1 : 0;
  }
  EXPECT_LE(wrong, static_cast<int>(at.size()) / 20);
}

struct Sizes {
  int in;
  std::vector<int> hidden;
  int out;
  int rows;
};

class MlpGradients : public testing::TestWithParam<Sizes> {};

TEST_P(MlpGradients, AgreeWithFiniteDifferences) {
  const Sizes sizes = GetParam();
  Bench bench(sizes.in, sizes.hidden, sizes.out, sizes.rows);
  bench.backward(1);
  for (const NamedTensor& tensor : bench.layout.tensors()) {
    std::vector<std::size_t> at;
    const int step = std::max(1, tensor.out * tensor.in / 40);
    for (int e = 0; e < tensor.out * tensor.in; e += step) {
      at.push_back(tensor.at(e / tensor.in, e % tensor.in));
    }
    expect_slopes(bench, bench.parameters->values(), at,
                  [&](std::size_t i) { return bench.parameters->grads()[i]; });
  }
  std::vector<std::size_t> at;
  for (int i = 0; i < sizes.rows; ++i) at.push_back(static_cast<std::size_t>(i * bench.x.stride));
  expect_slopes(bench, bench.x.data, at, [&](std::size_t i) { return bench.dx.data[i]; });
}

TEST_P(MlpGradients, HaveTheSameBitsForAnyTeamAndInstructionSet) {
  const Sizes sizes = GetParam();
  std::vector<float> first;
  expect_same_bits_everywhere([&] {
    for (const int threads : {1, 2, 3}) {
      Bench bench(sizes.in, sizes.hidden, sizes.out, sizes.rows);
      bench.backward(threads);
      if (first.empty()) first = bench.gradients();
      EXPECT_EQ(first, bench.gradients()) << threads << " threads";
    }
    return first;
  });
}

TEST_P(MlpGradients, LeavePaddingAtZero) {
  const Sizes sizes = GetParam();
  Bench bench(sizes.in, sizes.hidden, sizes.out, sizes.rows);
  bench.backward(2);
  std::vector<bool> used(bench.layout.size());
  for (const NamedTensor& tensor : bench.layout.tensors()) {
    for (int o = 0; o < tensor.out; ++o) {
      for (int r = 0; r < tensor.in; ++r) used[tensor.at(o, r)] = true;
    }
  }
  for (std::size_t i = 0; i < used.size(); ++i) {
    if (used[i]) continue;
    EXPECT_EQ(bench.parameters->grads()[i], 0.0F) << i;
  }
}

INSTANTIATE_TEST_SUITE_P(Shapes, MlpGradients,
                         testing::Values(Sizes{8, {64, 64}, 4, 32},       // all by rows
                                         Sizes{300, {200}, 6, 19},        // by inputs, then by rows
                                         Sizes{130, {150, 140}, 100, 5},  // all by inputs
                                         Sizes{11, {40}, 1, 37},          // a single output
                                         Sizes{21, {}, 1, 9}, Sizes{7, {}, 3, 9}));

TEST(Mlp, GivesARowTheSameBitsInAnyCompany) {
  Bench bench(40, {72, 33}, 5, 21);
  bench.loss();
  const std::vector<float> together = copied(bench.rows_of.output(), 21, 5);
  const MlpRows alone = bench.mlp.take_rows(1, bench.arena);
  for (int i = 0; i < 21; ++i) {
    const std::vector<float> expected(together.begin() + i * 5, together.begin() + i * 5 + 5);
    bench.mlp.forward_row(bench.parameters->values(), bench.x.row(i), alone);
    EXPECT_EQ(copied(alone.output(), 1, 5), expected);
    bench.mlp.forward(bench.parameters->values(), bench.x, {i, i + 1}, bench.rows_of);
    EXPECT_EQ(copied({bench.rows_of.output().row(i), 0}, 1, 5), expected);
  }
}

TEST(Mlp, LayersBeyondTheCacheHaveTheBitsOfSmallOnes) {
  Bench bench(1600, {512}, 5, 13);
  for (int i = 0; i < bench.n; ++i) {
    for (int k = 0; k < 1600; k += 1 + i % 3) bench.x.row(i)[k] = 0;
  }
  const float* values = bench.parameters->values();
  expect_same_bits_everywhere([&] {
    bench.mlp.forward(values, bench.x, {0, bench.n}, bench.rows_of, true);
    const std::vector<float> skipping = copied(bench.rows_of.output(), bench.n, 5);
    bench.mlp.forward(values, bench.x, {0, bench.n}, bench.rows_of, false);
    EXPECT_EQ(copied(bench.rows_of.output(), bench.n, 5), skipping);
    EXPECT_TRUE(bench.mlp.first_by_outputs());
    for (int rank = 0; rank < 3; ++rank) {
      bench.mlp.forward_first(values, bench.x, bench.n, rank, 3, bench.rows_of, true);
    }
    bench.mlp.forward_rest(values, {0, bench.n}, bench.rows_of);
    EXPECT_EQ(copied(bench.rows_of.output(), bench.n, 5), skipping);
    for (int i = 0; i < bench.n; ++i) {
      bench.mlp.forward_row(values, bench.x.row(i), bench.rows_of);
      const auto row = skipping.begin() + i * 5;
      EXPECT_EQ(copied(bench.rows_of.output(), 1, 5), std::vector<float>(row, row + 5));
    }
    return skipping;
  });
}

}  // namespace

}  // namespace tarl::nn
