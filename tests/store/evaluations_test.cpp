// SPDX-License-Identifier: MIT
#include "tarl/store/evaluations.h"

#include <cmath>
#include <limits>

#include "support/errors.h"
#include "support/temporary_folder.h"
#include <gtest/gtest.h>

#include "tarl/core/formats/npz.h"
#include "tarl/store/progress_csv.h"

namespace tarl::store {
namespace {

const Evaluations kTwo = {
    .timesteps = {100, 200}, .returns = {1, 2, 3, 4, 5, 6}, .lengths = {7, 8, 9, 10, 11, 12}};

TEST(Evaluations, AreReadAsTheyWereWritten) {
  const test::TemporaryFolder folder;
  write_evaluations(folder / "evaluations.npz", kTwo);
  const Evaluations read = read_evaluations(folder / "evaluations.npz");
  EXPECT_EQ(read.timesteps, kTwo.timesteps);
  EXPECT_EQ(read.returns, kTwo.returns);
  EXPECT_EQ(read.lengths, kTwo.lengths);
  EXPECT_EQ(read.episodes(), 3U);
  const auto second = read.returns_of(1);
  EXPECT_EQ(std::vector(second.begin(), second.end()), (std::vector<double>{4, 5, 6}));
}

TEST(Evaluations, ARunThatHasMadeNoneIsNotDamaged) {
  const test::TemporaryFolder folder;
  write_evaluations(folder / "evaluations.npz", {});
  EXPECT_EQ(read_evaluations(folder / "evaluations.npz").count(), 0U);
}

TEST(Evaluations, AReturnThatIsNotFiniteIsDamage) {
  const test::TemporaryFolder folder;
  Evaluations bad = kTwo;
  bad.returns[4] = std::numeric_limits<double>::infinity();
  write_evaluations(folder / "evaluations.npz", bad);
  const auto read = [&] { read_evaluations(folder / "evaluations.npz"); };
  EXPECT_NE(test::error_of(read).find("not finite"), std::string::npos);
}

TEST(Evaluations, StepsBelowZeroOrOutOfOrderAreDamage) {
  const test::TemporaryFolder folder;
  const std::vector<std::vector<std::int64_t>> all = {{200, 100}, {-200, -100}, {-1, 100}};
  for (const auto& steps : all) {
    Evaluations bad = kTwo;
    bad.timesteps = steps;
    write_evaluations(folder / "evaluations.npz", bad);
    const auto read = [&] { read_evaluations(folder / "evaluations.npz"); };
    EXPECT_NE(test::error_of(read).find("out of order"), std::string::npos) << steps[0];
  }
}

TEST(Evaluations, TablesThatDoNotFitTogetherAreDamage) {
  const test::TemporaryFolder folder;
  const std::vector<std::int64_t> steps = {1, 2, 3};
  const std::vector<double> returns = {1, 2};
  const NamedTensor arrays[] = {{"timesteps", Tensor::of(std::span(steps), {3})},
                                {"results", Tensor::of(std::span(returns), {2, 1})}};
  save_npz(folder / "evaluations.npz", arrays);
  const auto read = [&] { read_evaluations(folder / "evaluations.npz"); };
  EXPECT_NE(test::error_of(read).find("do not fit together"), std::string::npos);
}

TEST(Evaluations, LengthsMayBeMissingButMustFitTheReturns) {
  const test::TemporaryFolder folder;
  const std::vector<std::int64_t> steps = {1};
  const std::vector<double> returns = {1, 2};
  std::vector<NamedTensor> arrays = {{"timesteps", Tensor::of(std::span(steps), {1})},
                                     {"results", Tensor::of(std::span(returns), {1, 2})}};
  save_npz(folder / "evaluations.npz", arrays);
  EXPECT_TRUE(read_evaluations(folder / "evaluations.npz").lengths.empty());
  arrays.emplace_back("ep_lengths", Tensor::of(std::span(steps), {1, 1}));
  save_npz(folder / "evaluations.npz", arrays);
  const auto read = [&] { read_evaluations(folder / "evaluations.npz"); };
  EXPECT_NE(test::error_of(read).find("ep_lengths"), std::string::npos);
}

TEST(ReadProgress, GivesColumnsWithNanWhereACellIsEmptyAndLeavesOutACutLine) {
  const test::TemporaryFolder folder;
  write_file_durably(folder / "progress.csv", "a,b\n1,\n2,0.5\n3");
  const auto columns = read_progress(folder / "progress.csv");
  EXPECT_EQ(columns.at("a"), (std::vector<double>{1, 2}));
  EXPECT_TRUE(std::isnan(columns.at("b")[0]));
  EXPECT_EQ(columns.at("b")[1], 0.5);
}

}  // namespace
}  // namespace tarl::store
