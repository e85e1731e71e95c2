// SPDX-License-Identifier: MIT
#include "tarl/train/means.h"

#include "support/errors.h"
#include <gtest/gtest.h>

namespace tarl::train {
namespace {

using rl::Metric;

TEST(Means, AveragesMetricsInOrderOfAppearance) {
  Means means;
  means.add(Metric::kTargetLag, 1);
  means.add(Metric::kLoss, 4);
  means.add(Metric::kTargetLag, 3);
  EXPECT_EQ(means.peek(Metric::kTargetLag, 0), 2);
  EXPECT_EQ(means.peek(Metric::kGradNorm, -1), -1);
  const auto row = means.take();
  ASSERT_EQ(row.size(), 2U);
  EXPECT_EQ(row[0], (std::pair<std::string, double>{"tarl/target_lag", 2}));
  EXPECT_EQ(row[1], (std::pair<std::string, double>{"train/loss", 4}));
  EXPECT_TRUE(means.take().empty());
}

TEST(Means, ContinuesExactlyAfterSaveAndLoad) {
  Means whole, first, second;
  for (int i = 0; i < 10; ++i) {
    whole.add(Metric::kLoss, 0.1 * i);
    if (i < 5) first.add(Metric::kLoss, 0.1 * i);
  }
  Tensors state;
  StateWriter writer(state);
  first.save(writer);
  second.load(StateReader(state, "test"));
  for (int i = 5; i < 10; ++i) second.add(Metric::kLoss, 0.1 * i);
  EXPECT_EQ(whole.take(), second.take());
}

TEST(Means, RefusesMetricsItDoesNotKnow) {
  Tensors state;
  StateWriter writer(state);
  writer.put("names", std::string("train/loss\nothers/metric\n"));
  writer.put("sums", std::vector<double>{1, 2});
  writer.put("counts", std::vector<std::int64_t>{1, 1});
  Means means;
  EXPECT_NE(test::error_of([&] { means.load(StateReader(state, "test")); }).find("others/metric"),
            std::string::npos);
}

TEST(Metrics, HaveNamesOfTheirOwn) {
  for (int i = 0; i < rl::kMetricCount; ++i) {
    const auto metric = static_cast<Metric>(i);
    EXPECT_EQ(rl::find_metric(rl::name_of(metric)), metric) << rl::name_of(metric);
  }
}

}  // namespace
}  // namespace tarl::train
